import { createHmac, randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { invoke, type RestRequest, setFunctionEnvironment } from "#test/support/handler-events.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";
import { alertSamples } from "#test/support/webhooks/alert-payloads.ts";
import { createConversationHandler as createConversation } from "../../../functions/api/conversations/conversations.ts";
import { listMessagesHandler as listMessages } from "../../../functions/api/conversations/messages.ts";
import { listDeliveriesHandler as listDeliveries } from "../../../functions/api/webhooks/deliveries.ts";
import {
  ingestAlertHandler as ingestAlert,
  registerWebhookHandler as registerWebhook,
} from "../../../functions/api/webhooks/webhooks.ts";

/* Handlers run in the test's process, so that the test controls the bytes of events and the clock. */

let table: MeteredTable;
const handlers = {
  conversation: createConversation,
  register: registerWebhook,
  messages: listMessages,
  deliveries: listDeliveries,
};

const NOW_MS = Date.parse("2026-10-02T18:50:00Z");
const setClock = (nowMs: number) => vi.useFakeTimers({ toFake: ["Date"], now: nowMs });

beforeAll(async () => {
  setFunctionEnvironment({ RATE_LIMIT_CHANNEL: "1000000", RATE_LIMIT_TENANT: "1000000" });
  table = await startMeteredTable();
});

afterEach(() => void vi.useRealTimers());
afterAll(() => table?.stop());

async function createChannel(extra: Record<string, unknown> = {}) {
  const principal: UserPrincipal = {
    ...{ kind: "user", tenantId: `t-${randomUUID()}`, userId: "me", roles: ["admin"] },
    ...{ email: null, name: null, provider: "local", expiresAt: null },
  };
  const call = (name: keyof typeof handlers, request: Partial<RestRequest>) =>
    invoke(handlers[name], { path: "/", body: "", ...request, principal });
  const { body: conversation } = await call("conversation", { body: '{"title":"Alerts"}' });
  const id = `c-${randomUUID()}`;
  const registrationRequest = { channel_id: id, conversation_id: conversation.id, ...extra };
  const registration = await call("register", {
    path: "/v1/webhooks/register",
    body: JSON.stringify(registrationRequest),
  });
  const secret = registration.body.secret as string;
  const sign = (body: string | Buffer, key = secret) => createHmac("sha256", key).update(body).digest("hex");
  const deliver = (body: string | Buffer, headers: Record<string, string> = {}, isBase64Encoded = false) =>
    invoke(ingestAlert, {
      path: `/v1/webhooks/${id}`,
      params: { channel_id: id },
      headers: { "X-Webhook-Signature": sign(body), ...headers },
      body,
      isBase64Encoded,
    });
  const list = async (name: "messages" | "deliveries", params: Record<string, string>) =>
    (await call(name, { method: "GET", params })).body[name];
  return {
    sign,
    deliver,
    messages: () => list("messages", { id: conversation.id }),
    deliveries: () => list("deliveries", { channel_id: id }),
  };
}

const createAlert = (description = "Quota at 80 %") => JSON.stringify({ severity: "low", description });

it.each([
  [0, 200],
  [299_999, 200],
  [300_000, 200],
  [300_001, 401],
  [3_600_000, 401],
])(
  "webhook with the header X-Webhook-Timestamp that differs by %i ms from the current time is answered with status %i",
  async (distance, status) => {
    const { deliver } = await createChannel();
    setClock(NOW_MS);
    for (const at of [NOW_MS - distance, NOW_MS + distance]) {
      expect((await deliver(createAlert(String(at)), { "X-Webhook-Timestamp": String(at) })).status).toBe(status);
    }
  },
);

it.each(["", " ", "soon", "1e400", "NaN", "2026-10-02T18:50:00Z", String(NOW_MS / 1_000)])(
  "webhook with the header X-Webhook-Timestamp is answered with 401 when the timestamp is not a number of milliseconds: %j",
  async (timestamp) => {
    const { deliver } = await createChannel();
    setClock(NOW_MS);
    expect((await deliver(createAlert(), { "X-Webhook-Timestamp": timestamp })).status).toBe(401);
  },
);

const bodies = {
  "CRLF line endings": '{\r\n  "severity": "high",\r\n  "description": "two\\r\\nlines"\r\n}\r\n',
  "non-ASCII text": '{"severity":"high","description":"Größe überschritten 🚨 日本語"}',
  "unusual JSON escapes": '{"severity":"high","description":"\\u00e9\\/\\u2028"}',
  "a byte order mark": '\ufeff{"severity":"high","description":"marked"}',
};

it.each(Object.entries(bodies))(
  "webhook signature is verified over the exact bytes of a body with %s",
  async (_, text) => {
    const { deliver, sign, messages } = await createChannel();
    const raw = Buffer.from(text);
    const plain = await deliver(raw);
    const base64Response = await deliver(raw, {}, true);
    expect([plain.status, base64Response.status]).toEqual([200, 200]);
    expect(base64Response.body.message_id).toBe(plain.body.message_id);
    const reserialized = JSON.stringify(JSON.parse(text.replace("\ufeff", "")), null, 1);
    for (const isBase64Encoded of [false, true]) {
      const headers = { "X-Webhook-Signature": sign(raw) };
      expect((await deliver(reserialized, headers, isBase64Encoded)).status).toBe(401);
    }
    expect((await messages()).length).toBe(1);
  },
);

it("webhook signature is verified before the body is decoded, so that a body that is no text gets 200 only with a valid signature", async () => {
  const { deliver, sign } = await createChannel();
  const raw = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
  expect((await deliver(raw, {}, true)).status).toBe(200);
  expect((await deliver(raw, { "X-Webhook-Signature": sign("{}") }, true)).status).toBe(401);
});

it("webhook delivery is accepted if its signature is in upper case or has spaces around it, and gets 401 for any other form", async () => {
  const { deliver, sign } = await createChannel();
  const otherChannel = await createChannel();
  const valid = sign(createAlert());
  for (const signature of [valid, valid.toUpperCase(), ` ${valid} `]) {
    expect((await deliver(createAlert(), { "X-Webhook-Signature": signature })).status).toBe(200);
  }
  const truncated = [valid.slice(0, -1), valid.slice(1), valid.slice(0, 32), valid.slice(0, 62)];
  const doubled = [valid + valid, `${valid},${valid}`, `${valid} ${valid}`];
  const others = [
    otherChannel.sign(createAlert()),
    sign(createAlert("other")),
    sign(createAlert(), "0".repeat(64)),
    "0".repeat(64),
  ];
  const forms = [`sha256=${valid}`, `0x${valid}`, Buffer.from(valid, "hex").toString("base64"), `v1=${valid}`, "", " "];
  for (const signature of [...truncated, ...doubled, ...others, ...forms]) {
    const { status, body } = await deliver(createAlert(), { "X-Webhook-Signature": signature });
    expect([signature, status, body.code]).toEqual([signature, 401, "unauthorized"]);
  }
});

it("webhook signature is accepted in PagerDuty's header when one of up to ten listed signatures is valid", async () => {
  const secret = "the secret that PagerDuty made";
  const { deliver, sign } = await createChannel({ provider_secret: secret });
  const raw = JSON.stringify(alertSamples[0]?.payload);
  const [good, bad] = [`v1=${sign(raw, secret)}`, `v1=${"ab".repeat(32)}`];
  const post = async (signature: string) =>
    (await deliver(raw, { "X-Webhook-Signature": "", "X-PagerDuty-Signature": signature })).status;
  for (const signature of [good, `${bad},${good}`, `${good},${bad}`, `${bad}, ${good}`, `v1=${sign(raw)}`]) {
    expect(await post(signature)).toBe(200);
  }
  const tooMany = `${Array(10).fill(bad).join(",")},${good}`;
  for (const signature of [bad, `${bad},${bad}`, good.slice(0, -1), `v2=${sign(raw, secret)}`, tooMany, ""]) {
    expect([signature, await post(signature)]).toEqual([signature, 401]);
  }
});

it("repeated webhook delivery is tested with 40 different alerts", () => expect(alertSamples.length).toBe(40));

it.each(alertSamples)(
  "repeated webhook delivery of the alert $name creates one message for five concurrent deliveries and a sixth an hour later",
  async (sample) => {
    const { deliver, messages, deliveries } = await createChannel();
    const raw = JSON.stringify(sample.payload);
    const post = () => deliver(raw, { ...sample.headers, "X-Webhook-Timestamp": String(Date.now()) });
    setClock(NOW_MS);
    const answers = await Promise.all(Array.from({ length: 5 }, post));
    setClock(NOW_MS + 3_600_000);
    answers.push(await post());
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const [{ body: first }] = answers as [(typeof answers)[0]];
    for (const { body } of answers) {
      expect([body.message_id, body.alert_id]).toEqual([first.message_id, first.alert_id]);
    }
    const [message, ...others] = await messages();
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      message_id: first.message_id,
      role: "alert",
      alert: { provider: sample.provider, severity: sample.severity, alert_id: first.alert_id },
    });
    expect(message.alert.description.startsWith(sample.description)).toBe(true);
    expect(await deliveries()).toMatchObject([{ message_id: first.message_id, duplicates: 5 }]);
  },
);

it("repeated webhook delivery is recognized by the alert_id of a generic alert, and counted in the metric of repeated requests", async () => {
  const { deliver, deliveries } = await createChannel();
  setClock(NOW_MS);
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const post = (description: string) =>
    deliver(JSON.stringify({ severity: "high", description, alert_id: "payments-502" }));
  const first = await post("Payments fail");
  const second = await post("Payments still fail");
  const metrics = output.mock.calls.filter(([line]) => String(line).includes('"duplicates":1'));
  output.mockRestore();
  expect([second.status, second.body.message_id]).toEqual([200, first.body.message_id]);
  expect(metrics).toHaveLength(1);
  expect(await deliveries()).toMatchObject([{ alert_id: "payments-502", duplicates: 1 }]);
});
