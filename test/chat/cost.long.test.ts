import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText, type Upstream } from "#test/support/models/upstream.ts";
import { sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

let upstream: Upstream;
let table: TableProxy;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  table = await startTableProxy();
  service = await startScriptedService({
    env: { DYNAMODB_ENDPOINT: table.endpoint, MODEL_ID: "unknown", MESSAGE_SEARCH: "off" },
  });
  ({ upstream } = service);
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(async () => {
  await service?.stop();
  await table?.stop();
});

/** 500 chunks of about four characters: a typical answer, streamed in ten seconds. */
const answerChunks = Array.from({ length: 500 }, (_, n) => `tok${n % 10} `);

/** Cost of one turn. */
interface Measurement {
  readonly read: number;
  readonly written: number;
  readonly log: number;
  readonly durationMs: number;
}

/** Measures the capacity units of one turn, after the stream processors have finished their work for earlier turns. */
async function measureTurn(turn: () => Promise<unknown>): Promise<Measurement> {
  await sleep(1_500);
  table.resetUnits();
  const startedAt = performance.now();
  await turn();
  const durationMs = performance.now() - startedAt;
  const log = table.unitsByOperation.get("PutItem run-log") ?? 0;
  return { ...table.units, log, durationMs };
}

it("table cost of a chat message and its answer is at most 13 write units for an answer of 500 tokens", async () => {
  upstream.script = streamText(answerChunks, { pauseMs: 18 });
  const id = await client.createConversation();
  await client.chat({ conversation_id: id, content: "warm up", tier: "QUICK" });
  const { written, log, durationMs } = await measureTurn(() =>
    client.chat({ conversation_id: id, content: "Go", tier: "QUICK" }),
  );
  const message = table.unitsByOperation.get("PutItem message") ?? 0;
  const run = table.unitsByOperation.get("PutItem run") ?? 0;
  const otherUnits = written - log - message - run;
  console.log(`written ${written}: run ${run}, log ${log}, message ${message}, other ${otherUnits}`);
  // The log has a segment of one or two units for every four seconds; on a busy machine, the answer takes longer than ten.
  const lateSegments = Math.ceil(Math.max(0, durationMs - 11_500) / 4_000);
  expect(run + log + message).toBeLessThanOrEqual(9 + 2 * lateSegments);
  expect(otherUnits).toBeLessThanOrEqual(4);
});

it("table cost of a chat message and its answer does not grow with the length of a conversation that fills the model's window", async () => {
  upstream.script = streamText(["Hello ".repeat(2_000)]);
  const [short, long] = [await client.createConversation(), await client.createConversation()];
  const turns = sized({ usual: 45, full: 100, soak: 5_000 });
  // Both have more messages than the prompt takes, which the cost depends on.
  for (let n = 0; n < 30; n++) await client.chat({ conversation_id: short, content: "Go", tier: "QUICK" });
  for (let n = 0; n < turns; n++) await client.chat({ conversation_id: long, content: "Go", tier: "QUICK" });
  // Of turns by turns, the minimum counts, because late work and a busy machine add to some measurements.
  const measured: Record<"short" | "long", Measurement[]> = { short: [], long: [] };
  for (let n = 0; n < 6; n++) {
    for (const [name, conversation_id] of [
      ["short", short],
      ["long", long],
    ] as const) {
      measured[name].push(await measureTurn(() => client.chat({ conversation_id, content: "Go", tier: "QUICK" })));
    }
  }
  const minimumOf = (turns: readonly Measurement[]) => ({
    read: Math.min(...turns.map(({ read }) => read)),
    written: Math.min(...turns.map(({ written }) => written)),
  });
  const [shortCost, longCost] = [minimumOf(measured.short), minimumOf(measured.long)];
  expect(Math.abs(longCost.read - shortCost.read)).toBeLessThanOrEqual(1);
  expect(Math.abs(longCost.written - shortCost.written)).toBeLessThanOrEqual(2);
});
