import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

let upstream: Upstream;
let table: TableProxy;
let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  table = await startTableProxy();
  service = await startScriptedService({ env: { DYNAMODB_ENDPOINT: table.endpoint } });
  ({ upstream } = service);
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(async () => {
  await service?.stop();
  await table?.stop();
});

/** 500 pieces of about four characters, in ten seconds: a usual answer of a usual model. */
const answer = Array.from({ length: 500 }, (_, n) => `tok${n % 10} `);

/** What one turn consumes; the change feed's own work comes later and is not the turn's. */
async function unitsOf(turn: () => Promise<unknown>): Promise<{ read: number; written: number; log: number }> {
  await sleep(1_500);
  table.resetUnits();
  await turn();
  const log = table.unitsByOperation.get("PutItem run-log") ?? 0;
  return { ...table.units, log };
}

describe("what a turn costs", () => {
  it("is few write units for a 500-token answer", { timeout: 60_000 }, async () => {
    upstream.script = streamText(answer, { pauseMs: 18 });
    const id = await client.createConversation();
    await client.chat({ conversation_id: id, content: "warm up", tier: "QUICK" });
    const { written, log } = await unitsOf(() => client.chat({ conversation_id: id, content: "Go", tier: "QUICK" }));
    const message = table.unitsByOperation.get("PutItem message") ?? 0;
    // The run is the head of its log; it costs two units, for it begins in one transaction with the question.
    const run = 2;
    const rest = written - log - message - run;
    console.log(`written ${written}: run ${run}, log ${log}, message ${message}, everything else ${rest}`);
    expect(run + log + message).toBeLessThanOrEqual(12);
    expect(rest).toBeLessThanOrEqual(6);
  });

  it("does not grow with the conversation", { timeout: 600_000 }, async () => {
    upstream.script = streamText(["Hello"]);
    const [short, long] = [await client.createConversation(), await client.createConversation()];
    const turns = process.env.SWITCHBOARD_FULL ? 5_000 : 60;
    for (let n = 0; n < 30; n++) await client.chat({ conversation_id: short, content: "Go", tier: "QUICK" });
    for (let n = 0; n < turns; n++) await client.chat({ conversation_id: long, content: "Go", tier: "QUICK" });
    /** What a turn takes at least: on a busy machine the change feed is late and adds to some. */
    const leastOf = async (conversation_id: string) => {
      const taken = [];
      for (let n = 0; n < 3; n++) {
        taken.push(await unitsOf(() => client.chat({ conversation_id, content: "Go", tier: "QUICK" })));
      }
      return {
        read: Math.min(...taken.map(({ read }) => read)),
        written: Math.min(...taken.map(({ written }) => written)),
      };
    };
    const little = await leastOf(short);
    const much = await leastOf(long);
    expect(Math.abs(much.read - little.read)).toBeLessThanOrEqual(1);
    expect(Math.abs(much.written - little.written)).toBeLessThanOrEqual(2);
  });
});
