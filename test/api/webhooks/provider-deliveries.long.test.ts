import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AlertProvider } from "#shared/api/webhooks/webhooks.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { createChannel, type DeliveryHeaders, hmacHex, standardHeaders } from "#test/support/webhooks/channel.ts";
import { type ProviderPayload, providerPayloads } from "#test/support/webhooks/provider-payloads.ts";

let service: ScriptedService;

beforeAll(async () => {
  service = await startScriptedService({ env: { RATE_LIMIT_FAILED: "100000" } });
});

afterAll(() => service?.stop());

type Sample = Omit<ProviderPayload, "payload" | "severity" | "state" | "shows"> & {
  readonly raw: string;
  readonly expected?: Pick<ProviderPayload, "severity" | "state" | "isTest" | "shows">;
};

/** Creates the headers that authenticate a delivery in the sample's signature scheme. */
function sign({ signedBy }: Sample, secret: string, raw: string, id: string): DeliveryHeaders {
  if (signedBy === "token") return { authorization: `Bearer ${secret}` };
  if (signedBy === "standard-webhooks") return standardHeaders(secret, raw, id);
  return { [signedBy.header]: `${signedBy.prefix ?? ""}${hmacHex(secret, raw)}` };
}

/** Headers that no scheme signs, and that must not change the effect of a delivery. */
const tamperedHeaders = () => ({
  "x-webhook-provider": "github",
  "x-webhook-timestamp": String(Date.now()),
  "x-request-id": randomUUID(),
  "user-agent": "curl/8.0",
  "content-type": "text/plain",
});

/** Delivers a payload five times and returns what its channel and the model have received. */
async function deliverFiveTimes(sample: Sample) {
  const { raw, signedBy, headers = {} } = sample;
  const client = new Client(newIdentity(), service.baseUrl);
  const isProviderSecret = typeof signedBy === "object" && signedBy.header !== "x-webhook-signature";
  const [first, second] = [`old-${randomUUID()}`, `new-${randomUUID()}`];
  const options = {
    signature_scheme: typeof signedBy === "object" ? "hmac" : signedBy,
    ...(isProviderSecret && { provider_secret: first }),
  };
  const channel = await createChannel(options, client);
  const secret = isProviderSecret ? first : (channel.registration.secret ?? "");
  const id = randomUUID();
  const signed = sign(sample, secret, raw, id);
  const answers = {
    first: await channel.post(raw, { ...headers, ...signed }),
    replay: await channel.post(raw, { ...headers, ...signed }),
    tamperedHeaders: await channel.post(raw, { ...signed, ...tamperedHeaders() }),
    // A token does not cover the body, so the token itself is changed.
    tamperedBody: await (signedBy === "token"
      ? channel.post(raw, { ...headers, authorization: `${signed.authorization}0` })
      : channel.post(`${raw} `, { ...headers, ...signed })),
  };
  const rotated = await client.post(`/v1/webhooks/${channel.id}/rotate-secret`, {
    overlap_hours: 1,
    ...(isProviderSecret && { provider_secret: second }),
  });
  const newSecret = isProviderSecret ? second : rotated.body.secret;
  const afterRotation = [
    await channel.post(raw, { ...headers, ...sign(sample, newSecret, raw, id) }),
    await channel.post(raw, { ...headers, ...sign(sample, secret, raw, id) }),
  ];
  const before = service.upstream.requests.length;
  await client.chat({ conversation_id: channel.conversation_id, content: "What happened?", tier: "QUICK" });
  const prompts = JSON.stringify(service.upstream.requests.slice(before).map(({ body }) => body));
  return {
    answers,
    afterRotation,
    prompts,
    messages: await channel.messages(),
    deliveries: await channel.deliveries(),
  };
}

/** Expects one message with the full content, and a log that lists every delivery. */
async function expectOneEffect(sample: Sample): Promise<void> {
  const { answers, afterRotation, prompts, messages, deliveries } = await deliverFiveTimes(sample);
  expect(answers.first.text).toContain('"status":"success"');
  const { message_id, provider } = answers.first.body;
  expect([provider, answers.tamperedBody.status]).toEqual([sample.provider, 401]);
  for (const answer of [answers.replay, answers.tamperedHeaders, ...afterRotation]) {
    expect([answer.status, answer.body]).toMatchObject([200, { message_id, provider }]);
  }
  const alerts = messages.filter(({ alert }) => alert);
  expect(alerts.map((message) => message.message_id)).toEqual([message_id]);
  expect(deliveries.map(({ status, reason, duplicates }) => [status, reason, duplicates]).toSorted()).toEqual([
    ["accepted", null, 4],
    ["refused", "invalid_signature", 0],
  ]);
  const [message] = alerts;
  if (!sample.expected) return;
  const { severity, state, isTest = false, shows } = sample.expected;
  expect(message?.alert).toMatchObject({ severity, state, is_test: isTest });
  const shown = (message?.content ?? []).map(({ text, items }) => [text, ...(items ?? [])].join("\n")).join("\n");
  for (const text of shows) {
    expect(shown).toContain(text);
    // The prompt contains the message as Markdown, in which some characters are escaped.
    expect(prompts.replaceAll(/\\+/g, "")).toContain(JSON.stringify(text).slice(1, -1).replaceAll(/\\+/g, ""));
  }
}

it("sample payloads of alert providers number at least 24 and cover every supported provider", () => {
  expect(providerPayloads.length).toBeGreaterThanOrEqual(24);
  expect(new Set(providerPayloads.map(({ provider }) => provider))).toEqual(new Set(AlertProvider.options));
});

it.each(providerPayloads.map((sample) => [sample.name, sample] as const))(
  "sample payload of the alert provider %s adds one message with the full content of the alert although it is delivered five times",
  async (_, { payload, severity, state, isTest = false, shows, ...rest }) => {
    await expectOneEffect({
      ...rest,
      raw: JSON.stringify(payload),
      expected: { severity, state, isTest, shows },
    });
  },
);

/**
 * Path of an optional JSON file with payloads from other sources: an array of objects with `name`, `provider`,
 * `signedBy`, `headers` and `raw`.
 */
const outsideFile = process.env.OUTSIDE_PAYLOADS;

describe.runIf(outsideFile)("alert payload from the file in OUTSIDE_PAYLOADS", () => {
  it("alert payload from the file in OUTSIDE_PAYLOADS adds one message although it is delivered five times", async () => {
    const samples = JSON.parse(await readFile(outsideFile ?? "", "utf8")) as Sample[];
    const failures: string[] = [];
    for (const sample of samples) {
      await expectOneEffect(sample).catch((error: Error) => failures.push(`${sample.name}: ${error.message}`));
    }
    console.log(`${samples.length} payloads, ${failures.length} with a failure`);
    expect(failures).toEqual([]);
  });
});
