/**
 * Prints what Switchboard costs on AWS without models: US dollars per 1,000 operations, from the work that an instance on
 * the local runner did for them, and per month without requests, from the synthesized templates of the stage `prod`.
 * `npm run cost`; `docs/guides/costs.md` explains the method.
 */
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { type Cost, computeCost, perOperation, type Quantities } from "../../../infra/cost/compute-cost.ts";
import { idleUsage } from "../../../infra/cost/idle-usage.ts";
import { pricesAsOf } from "../../../infra/cost/prices.ts";
import { allEntries, synthesize, toStackTemplates } from "../../infra/synthesize.ts";
import { Client, newIdentity } from "../../support/client.ts";
import { addIndexedDocument } from "../../support/knowledge/add-indexed-document.ts";
import { seededRandom, topicalTexts } from "../../support/knowledge/synthetic-text.ts";
import { chunk, type Script, startEventStream } from "../../support/models/upstream.ts";
import { startScriptedService } from "../../support/scripted-service.ts";
import { startSlackStub } from "../../support/slack/slack-stub.ts";
import { startTableProxy } from "../../support/tables/table-proxy.ts";
import { startTeamsStub } from "../../support/teams/teams-stub.ts";
import { deployedFunctions } from "./deployed-functions.ts";
import {
  prepareEvents,
  prepareInvestigations,
  prepareSlackPosts,
  prepareTeamsPosts,
  startReceiver,
} from "./incident-operations.ts";
import { recordedUsage } from "./recorded-usage.ts";

/** Number of recorded operations of each kind. */
const operations = 20;

/** Pages of an indexed document, and words on a page. */
const [pagesPerDocument, wordsPerPage] = [10, 400];

/** Operations that run at a time. Streams that compete for the processor would take longer than the provider. */
const concurrency = 5;

/** An answer of 500 tokens in 8 seconds. */
const [answerTokens, answerMs] = [500, 8_000];

const answer: Script = async (response) => {
  startEventStream(response);
  const startedAt = performance.now();
  for (let token = 1; token <= answerTokens; token++) {
    const waitMs = startedAt + (token * answerMs) / answerTokens - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    response.write(chunk({ content: `tok${token % 10} ` }));
  }
  response.end(`${chunk({}, { finish_reason: "stop" })}data: [DONE]\n\n`);
};

const [table, slack, teams, receiver] = await Promise.all([
  startTableProxy(),
  startSlackStub(),
  startTeamsStub(),
  startReceiver(),
]);
const service = await startScriptedService({
  script: answer,
  env: {
    DYNAMODB_ENDPOINT: table.endpoint,
    ...slack.settings,
    ...teams.settings,
    LOCAL_LOG: "1",
    MESSAGE_SEARCH: "off",
    RATE_LIMIT_API_KEY: "1000000",
    RATE_LIMIT_CHANNEL: "1000000",
  },
});
const client = new Client(newIdentity(), service.baseUrl);
const templates = synthesize({ entries: allEntries });
const functions = deployedFunctions(templates);

/** Time after which the watchdog has checked a run. */
const WATCHDOG_MS = 24_000;

/** Time after which the second message of a job of a messenger has been handled. */
const SECOND_LOOK_MS = 62_000;

/** Time without output after which stream processors and jobs have ended. */
const QUIET_MS = 4_000;

/** Waits until the instance is idle: no output and no call of the table. */
async function waitUntilQuiet(minimumMs: number): Promise<void> {
  await sleep(minimumMs);
  const getActivity = () => service.output.length + table.units.calls;
  for (let activity = -1; activity !== getActivity(); ) {
    activity = getActivity();
    await sleep(QUIET_MS);
  }
}

/** Returns the quantities of one operation; `count` of them were done by `work`. */
async function record(count: number, minimumMs: number, work: () => Promise<unknown>): Promise<Quantities> {
  table.resetUnits();
  const start = service.output.length;
  await work();
  await waitUntilQuiet(minimumMs);
  const { read, written } = table.units;
  const recording = { output: service.output.slice(start), readUnits: read, writeUnits: written };
  return perOperation(recordedUsage(recording, functions), count);
}

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  mapConcurrent([...Array(count).keys()], work, concurrency);

/** Throws if a response is not a success, so that failed operations are not counted as cheap ones. */
async function requireSuccess(operation: string, response: Promise<{ readonly status: number }>): Promise<void> {
  const { status } = await response;
  if (status >= 300) throw new Error(`${operation} failed with ${status}`);
}

const random = seededRandom(20);
const { randomTopic, textAbout } = topicalTexts(random);
const createDocument = () => ({
  title: textAbout(randomTopic(), 5),
  text: Array.from({ length: pagesPerDocument }, () => textAbout(randomTopic(), wordsPerPage)).join("\n\n"),
});

async function prepareCompletion() {
  const { body: persona } = await client.post("/v1/personas", {
    name: "Helper",
    instructions: "Be brief.",
    visibility: "public",
    tier: "QUICK",
  });
  const model = `helper-${randomUUID().slice(0, 8)}`;
  await requireSuccess("publish", client.post(`/v1/personas/${persona.id}/publish`, { slug: model }));
  const scopes = ["chat.completions"];
  const idempotent = { "idempotency-key": randomUUID() };
  const { body: apiKey } = await client.post("/v1/tenant/api-keys", { description: "cost", scopes }, idempotent);
  return async () => {
    const response = await fetch(`${service.baseUrl}/openai/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Go" }] }),
    });
    await response.text();
    return response;
  };
}

async function prepareAlert() {
  const conversation_id = await client.createConversation("Alerts");
  const channel_id = `c-${randomUUID()}`;
  const { body } = await client.post("/v1/webhooks/register", { channel_id, conversation_id });
  return () => {
    const raw = JSON.stringify({ severity: "high", description: "Disk full", alert_id: randomUUID() });
    const headers = {
      "content-type": "application/json",
      "x-webhook-provider": "custom",
      "x-webhook-signature": createHmac("sha256", body.secret).update(raw).digest("hex"),
    };
    return fetch(`${service.baseUrl}/v1/webhooks/${channel_id}`, { method: "POST", headers, body: raw });
  };
}

async function recordAll(): Promise<Record<string, Quantities>> {
  const conversations = await times(operations, () => client.createConversation());
  const complete = await prepareCompletion();
  const deliver = await prepareAlert();
  const deliverEvent = await prepareEvents(service.baseUrl, receiver.url);
  const deliverPost = await prepareSlackPosts(service.baseUrl, slack);
  const deliverTeamsPost = await prepareTeamsPosts(service.baseUrl, teams);
  const { raise, untilEnded, note } = await prepareInvestigations(service.baseUrl, receiver.url);
  const { collection } = await addIndexedDocument(client, createDocument());
  const chat = (conversation_id: string | undefined, headers = {}) =>
    client.chat({ conversation_id, content: "Go", tier: "QUICK" }, headers);
  const chatOnce = (conversation_id: string | undefined) => chat(conversation_id, { "idempotency-key": randomUUID() });
  const documents = `/v1/knowledge/collections/${collection}/documents`;
  const search = () => client.get(`/v1/knowledge/search?q=${encodeURIComponent(textAbout(randomTopic(), 5))}`);
  await Promise.all([
    chat(conversations[0]),
    requireSuccess("completion", complete()),
    requireSuccess("alert", deliver()),
    requireSuccess("search", search()),
    requireSuccess("alert with an event", deliverEvent()),
    requireSuccess("alert in Slack", deliverPost()),
    requireSuccess("alert in Teams", deliverTeamsPost()),
    requireSuccess("investigated alert", raise()),
  ]);
  await untilEnded();
  const update = await note();
  await waitUntilQuiet(WATCHDOG_MS);
  return {
    "chat turns": await record(operations, WATCHDOG_MS, () => times(operations, (index) => chat(conversations[index]))),
    "chat turns with an Idempotency-Key": await record(operations, WATCHDOG_MS, () =>
      times(operations, (index) => chatOnce(conversations[index])),
    ),
    completions: await record(operations, 0, () => times(operations, () => requireSuccess("completion", complete()))),
    searches: await record(operations, 0, () => times(operations, () => requireSuccess("search", search()))),
    "indexed pages": await record(operations * pagesPerDocument, 0, () =>
      times(operations, () => requireSuccess("document", client.post(documents, createDocument()))),
    ),
    alerts: await record(operations, 0, () => times(operations, () => requireSuccess("alert", deliver()))),
    "alerts with an event delivered": await record(operations, 0, () =>
      times(operations, () => requireSuccess("alert with an event", deliverEvent())),
    ),
    "alerts posted to Slack": await record(operations, SECOND_LOOK_MS, () =>
      times(operations, () => requireSuccess("alert in Slack", deliverPost())),
    ),
    "alerts posted to Teams": await record(operations, SECOND_LOOK_MS, () =>
      times(operations, () => requireSuccess("alert in Teams", deliverTeamsPost())),
    ),
    "investigated alerts": await record(operations, WATCHDOG_MS, () =>
      times(operations, () => requireSuccess("investigated alert", raise())),
    ),
    "updates of an incident": await record(operations, 0, () =>
      times(operations, () => requireSuccess("update", update())),
    ),
  };
}

const format = (usd: number) => usd.toFixed(4).padStart(9);

function print(title: string, { total, parts }: Cost): void {
  console.log(`${format(total)}  ${title}`);
  for (const [name, usd] of Object.entries(parts).sort(([, one], [, other]) => other - one)) {
    if (usd >= 0.000_05) console.log(`${format(usd)}    ${name}`);
  }
}

try {
  const usage = await recordAll();
  console.log(`US dollars, list prices of us-east-1, ${pricesAsOf}\n`);
  for (const [title, quantities] of Object.entries(usage)) {
    print(`per 1,000 ${title}`, computeCost(perOperation(quantities, 1 / 1_000)));
    const { tableRead = 0, tableWrite = 0, invocation = 0, transfer = 0, log = 0 } = quantities;
    console.log(
      `           each: ${tableRead.toFixed(1)} read and ${tableWrite.toFixed(1)} write units, ` +
        `${invocation.toFixed(2)} invocations, ${Math.round(transfer)} bytes out, ${Math.round(log)} bytes of logs\n`,
    );
  }
  const { totals } = (await client.get("/v1/usage?cost=full")).body;
  const costOf = (kind: string) => computeCost(usage[kind] ?? {}).total;
  const [turns, turnsOnce, completions] = ["chat turns", "chat turns with an Idempotency-Key", "completions"].map(
    costOf,
  );
  // Each kind was done once before its recording, but for turns with a key.
  const bill = (operations + 1) * ((turns ?? 0) + (completions ?? 0)) + operations * (turnsOnce ?? 0);
  console.log(
    `${totals.requests} answers: ${bill.toFixed(6)} recorded, ${totals.aws_cost_usd.toFixed(6)} by GET /v1/usage?cost=full ` +
      `(${((100 * totals.aws_cost_usd) / bill).toFixed(1)} %)\n`,
  );
  print("per month without requests", computeCost(idleUsage(toStackTemplates(templates)), { isMonthly: true }));
} finally {
  await service.stop();
  await Promise.all([table.stop(), slack.stop(), teams.stop()]);
  receiver.stop();
}
