/**
 * Measures streams of 500 tokens in 8 s, of chat turns and of chat completions in turns, by the number of concurrent ones: CPU time
 * and bytes for each token, the delay from the provider's token to the client's byte, and write units for 1,000 tokens; then how long
 * a finished turn takes to resume. `node test/bench/streams.ts [concurrent streams…]`, 1, 8 and 32 by default. Requires Linux.
 * Provider and client run in this process.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, newIdentity } from "../support/client.ts";
import { chunk, type Script, startEventStream } from "../support/models/upstream.ts";
import { startScriptedService } from "../support/scripted-service.ts";
import { startTableProxy } from "../support/tables/table-proxy.ts";
import { getBusiestWorkerMs, readCpuTime } from "./openai-api/cpu-time.ts";

const TOKENS = 500;
const ANSWER_MS = 8_000;
const RESUMES = 20;

/** Time in which the stream processors finish their work for earlier streams. */
const SETTLE_MS = 4_000;

const levels = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1, 8, 32];

/** Times at which the provider sent the tokens of a stream, by the number in its question. */
const sentAt = new Map<number, number[]>();
let streams = 0;

const answer: Script = async (response, { body }) => {
  const stream = Number(/Stream (\d+)/.exec(JSON.stringify(body.messages.at(-1)))?.[1]);
  const times: number[] = [];
  sentAt.set(stream, times);
  startEventStream(response);
  const startedAt = performance.now();
  for (let token = 0; token < TOKENS; token++) {
    const waitMs = startedAt + (token * ANSWER_MS) / TOKENS - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    times.push(performance.now());
    response.write(chunk({ content: `t${token}. ` }));
  }
  response.end(`${chunk({}, { finish_reason: "stop" })}data: [DONE]\n\n`);
};

interface StreamResult {
  readonly bytes: number;
  /** Delay of each token. */
  readonly delaysMs: readonly number[];
}

/** Reads a stream to its end. */
async function readStream(stream: number, response: Response): Promise<StreamResult> {
  if (response.status !== 200) throw new Error(`Expected a stream: ${response.status} ${await response.text()}`);
  const decoder = new TextDecoder();
  const delaysMs: number[] = [];
  let bytes = 0;
  let pending = "";
  for await (const part of response.body ?? []) {
    const receivedAt = performance.now();
    bytes += part.length;
    pending += decoder.decode(part, { stream: true });
    let end = 0;
    for (const match of pending.matchAll(/t(\d+)\. /g)) {
      end = match.index + match[0].length;
      const token = Number(match[1]);
      // Count a token once: the final message contains the whole text again.
      if (token === delaysMs.length) delaysMs.push(receivedAt - (sentAt.get(stream)?.[token] ?? 0));
    }
    pending = pending.slice(Math.max(end, pending.length - 20));
  }
  if (delaysMs.length !== TOKENS) throw new Error(`Received ${delaysMs.length} tokens`);
  return { bytes, delaysMs };
}

const table = await startTableProxy();
const service = await startScriptedService({
  script: answer,
  env: { DYNAMODB_ENDPOINT: table.endpoint, RATE_LIMIT_API_KEY: "1000000" },
});
const client = new Client(newIdentity(), service.baseUrl);
const pid = service.process.pid ?? 0;

async function createEndpoint() {
  const fields = { name: "Bench", instructions: "Be brief.", visibility: "public", tier: "QUICK" };
  const { body: persona } = await client.post("/v1/personas", fields);
  const model = `bench-${randomUUID().slice(0, 8)}`;
  await client.post(`/v1/personas/${persona.id}/publish`, { slug: model });
  const key = { description: "bench", scopes: ["chat.completions"] };
  const { body } = await client.post("/v1/tenant/api-keys", key, { "idempotency-key": randomUUID() });
  return { model, authorization: `Bearer ${body.key}` };
}

const { model, authorization } = await createEndpoint();
const json = { "content-type": "application/json" };

/** Streams by endpoint; each starts one and reads it to its end. */
const endpoints: Readonly<Record<string, () => Promise<StreamResult>>> = {
  "/v1/runtime/chat": async () => {
    const stream = streams++;
    const conversation_id = await client.createConversation();
    const body = JSON.stringify({ conversation_id, content: `Stream ${stream}`, tier: "QUICK" });
    return readStream(stream, await client.fetch("/v1/runtime/chat", { method: "POST", headers: json, body }));
  },
  "/openai/v1/chat/completions": async () => {
    const stream = streams++;
    const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: `Stream ${stream}` }] });
    const init = { method: "POST", headers: { ...json, authorization }, body };
    return readStream(stream, await fetch(`${service.baseUrl}/openai/v1/chat/completions`, init));
  },
};

const quantile = (values: readonly number[], fraction: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(fraction * (values.length - 1))] ?? 0;

async function measure(name: string, startStream: () => Promise<StreamResult>, concurrency: number): Promise<void> {
  await sleep(SETTLE_MS);
  table.resetUnits();
  const before = readCpuTime(pid);
  const results = await Promise.all(Array.from({ length: concurrency }, startStream));
  const after = readCpuTime(pid);
  const tokens = concurrency * TOKENS;
  const written = (table.units.written / tokens) * 1_000;
  const delays = results.flatMap(({ delaysMs }) => delaysMs);
  const cells = [
    concurrency,
    (getBusiestWorkerMs(pid, before, after) / tokens).toFixed(3),
    ((after.totalMs - before.totalMs) / tokens).toFixed(3),
    (results.reduce((sum, { bytes }) => sum + bytes, 0) / tokens).toFixed(1),
    quantile(delays, 0.5).toFixed(1),
    quantile(delays, 0.95).toFixed(1),
    written.toFixed(1),
  ];
  console.log(`${name.padEnd(28)}${cells.map((cell) => String(cell).padStart(10)).join("")}`);
}

/** Measures the resumption of a finished turn from its start: the first byte and the whole. */
async function measureResumption(): Promise<void> {
  const conversation_id = await client.createConversation();
  const frames = await client.chat({ conversation_id, content: `Stream ${streams++}`, tier: "QUICK" });
  const path = `/v1/runtime/chat/${frames[0]?.data.message_id}/stream`;
  const times: { firstByte: number; whole: number }[] = [];
  for (let index = -1; index < RESUMES; index++) {
    const startedAt = performance.now();
    const response = await client.fetch(path);
    let firstByte = 0;
    for await (const _ of response.body ?? []) firstByte ||= performance.now() - startedAt;
    if (index >= 0) times.push({ firstByte, whole: performance.now() - startedAt });
  }
  const describe = (name: "firstByte" | "whole") => {
    const values = times.map((each) => each[name]);
    return `median ${quantile(values, 0.5).toFixed(1)} ms, p95 ${quantile(values, 0.95).toFixed(1)} ms`;
  };
  console.log(`Resumption of a finished turn: first byte ${describe("firstByte")}; whole ${describe("whole")}`);
}

try {
  const columns = ["streams", "CPU ms *", "of all **", "bytes", "delay p50", "delay p95", "units ***"];
  console.log(`${"".padEnd(28)}${columns.map((column) => column.padStart(10)).join("")}`);
  for (const startStream of Object.values(endpoints)) await startStream();
  for (const concurrency of levels) {
    for (const [name, startStream] of Object.entries(endpoints)) await measure(name, startStream, concurrency);
  }
  console.log("* of the function for each token  ** of all processes and functions  *** written for 1,000 tokens");
  await measureResumption();
} finally {
  await service.stop();
  await table.stop();
}
process.exit(0);
