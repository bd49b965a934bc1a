import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { TestResult, TestRun } from "#shared/api/evaluations/test-runs.ts";
import { indexKeys, keys } from "#shared/dynamodb/keys.ts";
import { newTestRun } from "#shared/evaluations/runs/test-run-store.ts";
import { settings } from "#shared/lib/env.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { answerBy, createTestSet } from "#test/support/evaluations/runs.ts";
import { sized } from "#test/support/run-size.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { shiftedClock } from "#test/support/shifted-clock.ts";
import { openInstanceTable } from "#test/support/tables/instance-table.ts";
import { startTableProxy, type TableProxy } from "#test/support/tables/table-proxy.ts";

/** Time after which the lease of a dead job has ended. */
const AFTER_LEASE_MS = 61_000;

let proxy: TableProxy;
let service: ScriptedService;
beforeAll(async () => {
  proxy = await startTableProxy();
  const script = answerBy((version, question) => `Version ${version} knows nothing about ${question.slice(-40)}`);
  service = await startScriptedService({ script, env: { DYNAMODB_ENDPOINT: proxy.endpoint } });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service?.stop();
  await proxy?.stop();
});

const newOwner = () => new Client(newIdentity(), service.baseUrl);

/** Stores a run for `startWorker`. The mark of a copy keeps the instance from starting it. */
async function storeRun(owner: Client, set_id: string, body: Record<string, unknown>): Promise<TestRun> {
  const { persona_id } = (await owner.get(`/v1/test-sets/${set_id}`)).body;
  const { versions, models } = body as { versions: number[]; models: (string | null)[] };
  const columns = versions.flatMap((version) => models.map((model) => ({ version, model })));
  const { estimate } = (await owner.post("/v1/test-runs", { set_id, ...body, dry_run: true })).body;
  const { tenant, user } = owner.identity;
  const run = newTestRun({
    ...{
      set_id,
      persona_id,
      columns,
      passages: "recorded",
      tools: "recorded",
      concurrency: 4,
      max_cost_usd: null,
      judge_model: null,
    },
    ...{ estimate, author_id: user },
  });
  const table = openInstanceTable(proxy);
  const key = { ...keys.testRun(tenant, run.id), ...indexKeys.testRunOfSet(tenant, set_id, run.id) };
  await table.write({ put: { ...key, discriminator: "test-run", copied_at: "test", ...run } });
  return run as unknown as TestRun;
}

/** Starts a process that works on a run, with its clock in the future. */
function startWorker({ identity }: Client, run: string, offsetMs: number): ChildProcess {
  const env = {
    ...process.env,
    ...Object.assign({}, ...Object.values(settings)),
    ...{ AWS_ENDPOINT_URL_DYNAMODB: proxy.serverEndpoint, AWS_REGION: "us-east-1" },
    ...{ AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test", TABLE_NAME: "switchboard-local-table" },
    ...{ STAGE: "local", LOG_LEVEL: "error", MODEL_ID: "gpt-4o" },
    ...{ MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: service.upstream.baseUrl },
  };
  const worker = "test/support/evaluations/run-worker.ts";
  return spawn("node", ["--expose-gc", shiftedClock(offsetMs), worker, identity.tenant, run], {
    env,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
}

async function listResults(owner: Client, run: string): Promise<TestResult[]> {
  const results: TestResult[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await owner.get(`/v1/test-runs/${run}/results?limit=100${cursor && `&cursor=${cursor}`}`);
    results.push(...body.results);
    cursor = body.next_cursor;
  }
  return results;
}

const addItems = async (owner: Client, set_id: string, count: number) => {
  for (let first = 0; first < count; first += 1_000) {
    const items = Array.from({ length: Math.min(1_000, count - first) }, (_, n) => ({
      question: `What does number ${first + n} cost?`,
      context: { passages: [{ title: "Prices", text: "A price. ".repeat(20 + ((first + n) % 60)) }] },
      expectations: [{ type: "contains", text: "nothing" }],
    }));
    const { body } = await owner.post(`/v1/test-sets/${set_id}/items`, { items });
    expect(body.added.length).toBe(items.length);
  }
};

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

it("run of 200 items, two versions and two models has each result once, and costs what usage counts, after 20 killed jobs", async () => {
  const owner = newOwner();
  const { set_id } = await createTestSet(owner, [], { versions: 2 });
  await owner.post("/v1/models", { name: "own", model_id: "own", price: { input: 100, output: 200 } });
  await addItems(owner, set_id, 200);
  const run = await storeRun(owner, set_id, { versions: [1, 2], models: [null, "own"] });
  const random = seededRandom(5);
  const { requests } = service.upstream;
  for (let kill = 0; kill < 20; kill++) {
    const worker = startWorker(owner, run.id, kill * AFTER_LEASE_MS);
    const killAt = requests.length + 1 + Math.floor(random() * 60);
    while (requests.length < killAt && worker.exitCode === null) await sleep(5);
    await sleep(random() * 30);
    expect(worker.exitCode).toBe(null);
    const exited = once(worker, "exit");
    worker.kill("SIGKILL");
    await exited;
  }
  const last = startWorker(owner, run.id, 20 * AFTER_LEASE_MS);
  expect(await once(last, "exit")).toEqual([0, null]);
  const ended = (await owner.get(`/v1/test-runs/${run.id}`)).body;
  expect(ended).toMatchObject({ status: "completed", done: 200, skipped: 0, failed: 0 });
  const results = await listResults(owner, run.id);
  expect(new Set(results.map(({ item_id, column }) => `${item_id} ${column}`)).size).toBe(800);
  expect(results.length).toBe(800);
  const costs = sumOf(results.map(({ usage }) => usage?.cost_usd ?? 0));
  expect(ended.cost_usd).toBeCloseTo(costs, 6);
  await vi.waitFor(
    async () => {
      const { totals } = (await owner.get("/v1/usage")).body;
      expect([totals.requests, totals.cost_usd]).toEqual([800, ended.cost_usd]);
    },
    { timeout: 180_000, interval: 500 },
  );
  console.log(`20 jobs killed: ${requests.length} requests for 800 results, ${ended.cost_usd} USD`);
});

it("run takes as much memory at its end as at its beginning, and costs what was estimated within 10 %", async () => {
  const owner = newOwner();
  const count = sized({ usual: 1_000, full: 5_000 });
  const { set_id } = await createTestSet(owner, []);
  await addItems(owner, set_id, count);
  // Its answers tell how long others will be.
  const conversation_id = await owner.createConversation();
  const { persona_id } = (await owner.get(`/v1/test-sets/${set_id}`)).body;
  await owner.patch(`/v1/conversations/${conversation_id}`, { persona_id });
  await owner.chat({ conversation_id, content: "What does number 7 cost?", tier: "QUICK" });
  await vi.waitFor(async () => expect((await owner.get("/v1/usage")).body.totals.requests).toBe(1), 60_000);
  const run = await storeRun(owner, set_id, { versions: [1], models: [null] });
  const worker = startWorker(owner, run.id, 0);
  const used: number[] = [];
  worker.on("message", (bytes: number) => used.push(bytes));
  expect(await once(worker, "exit")).toEqual([0, null]);
  const ended = (await owner.get(`/v1/test-runs/${run.id}`)).body;
  expect(ended).toMatchObject({ status: "completed", done: count, failed: 0 });
  const quarter = Math.floor(used.length / 4);
  const [early, late] = [Math.max(...used.slice(quarter, 2 * quarter)), Math.max(...used.slice(-quarter))];
  const megabytes = (bytes: number) => Math.round(bytes / 1e6);
  const ratio = run.estimate.cost_usd === null ? 0 : run.estimate.cost_usd / ended.cost_usd;
  console.log(
    `${count} items: ${megabytes(early)} MB, then ${megabytes(late)} MB; estimate ${ratio.toFixed(3)} of the cost`,
  );
  expect(late).toBeLessThan(early * 1.1);
  expect(Math.abs(ratio - 1)).toBeLessThan(0.1);
}, 1_200_000);
