import { setTimeout as sleep } from "node:timers/promises";
import { findPrincipal } from "../../chat/investigation/find-principal.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { authorizePersonaManagement } from "../../personas/persona-store.ts";
import { getTenant, type Tenant } from "../../tenancy/tenant-store.ts";
import { SourceReader } from "../readable-items.ts";
import { readTestItem, type StoredTestItem, testItemsOf } from "../test-item-store.ts";
import { type AnsweringColumn, answerItem } from "./answer-item.ts";
import { toAnswerers, toJudgeModel } from "./answerers.ts";
import { findDrop } from "./find-drop.ts";
import { findResults, type StoredResult } from "./result-store.ts";
import { scheduleTestRun, type TestRunJob } from "./schedule-run.ts";
import { summarizeRun } from "./summarize-run.ts";
import { changeTestRun, claimTestRun, findTestRun, LEASE_MS, RunLost, type StoredTestRun } from "./test-run-store.ts";

/** Number of items between two checkpoints. Their texts are in memory. */
const PAGE_SIZE = 10;

/** Time after which a job leaves the remaining items to the next one. A page takes some minutes at most. */
const MAX_JOB_MS = 8 * 60_000;

const RENEWAL_MS = 15_000;

/** Time after which the index, from which results are summarized, has the last one. */
const INDEX_DELAY_MS = 2_000;

/** Pause before an answer that a limit of the tenant refused is tried again. */
const LIMIT_PAUSE_MS = 2_000;

/** Thrown to end a run before its last item. */
class RunEnd extends Error {
  override name = "RunEnd";
  readonly end: Pick<StoredTestRun, "status" | "reason">;
  constructor(status: "canceled" | "failed", reason: StoredTestRun["reason"] = null) {
    super(`The run ends: ${reason ?? status}`);
    this.end = { status, reason };
  }
}

const toMicroUsd = ({ usage }: Pick<StoredResult, "usage">) => Math.round((usage?.cost_usd ?? 0) * 1e6);

/** Job that answers items of a run until it ends or the time is over. */
class TestRunWorker {
  readonly #scope: TenantScope;
  readonly #controller = new AbortController();
  #run: StoredTestRun;
  #isCanceled: boolean;
  /** Costs and failures of all results, also of those after the last checkpoint. */
  #spentMicroUsd: number;
  #failed: number;

  constructor(scope: TenantScope, run: StoredTestRun) {
    this.#scope = scope;
    this.#run = run;
    this.#isCanceled = run.is_canceled;
    this.#spentMicroUsd = run.micro_usd;
    this.#failed = run.failed;
  }

  /** @returns false if items remain for the next job */
  async work(maxJobMs: number): Promise<boolean> {
    const endsAtMs = now() + maxJobMs;
    const renewal = setInterval(() => void this.#renew(), RENEWAL_MS);
    try {
      const { tenant, reader, columns } = await this.#prepare();
      for (let items = await this.#nextItems(); items.length > 0; items = await this.#nextItems()) {
        if (now() >= endsAtMs) {
          await changeTestRun(this.#scope, this.#run, { leased_until_ms: 0 });
          return false;
        }
        await this.#answer(items, { tenant, reader, columns });
      }
      await this.#end({ status: "completed", reason: null });
    } catch (error) {
      if (!(error instanceof RunEnd)) throw error;
      await this.#end(error.end);
    } finally {
      clearInterval(renewal);
      this.#controller.abort(new RunLost());
    }
    return true;
  }

  async #renew(): Promise<void> {
    try {
      const { is_canceled } = await changeTestRun(this.#scope, this.#run, { leased_until_ms: now() + LEASE_MS });
      this.#isCanceled = is_canceled;
    } catch (error) {
      if (error instanceof RunLost) this.#controller.abort(error);
      else log.warn("lease of test run not renewed", { run_id: this.#run.id, error });
    }
  }

  /** Reads the author's present rights, and who answers. @throws RunEnd */
  async #prepare() {
    const { author_id, persona_id, columns, judge_model } = this.#run;
    const [tenant, principal] = await Promise.all([getTenant(this.#scope), findPrincipal(this.#scope, author_id)]);
    if (tenant.suspended_at) throw new RunEnd("failed", "tenant");
    if (!principal) throw new RunEnd("failed", "user");
    try {
      await authorizePersonaManagement(principal, persona_id);
      const [answerers, judgeModel] = await Promise.all([
        toAnswerers(principal, persona_id, columns),
        toJudgeModel(principal, persona_id, judge_model),
      ]);
      const { signal } = this.#controller;
      const answering = answerers.map((answerer, column) => ({
        ...{ column, judgeModel },
        answerer: { ...answerer, signal },
      }));
      return { tenant, reader: new SourceReader(principal), columns: answering };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status >= 500) throw error;
      throw new RunEnd("failed", error.code === "forbidden" ? "user" : "persona");
    }
  }

  async #nextItems(): Promise<StoredTestItem[]> {
    const after = this.#run.position;
    const query = { ...testItemsOf(this.#scope, this.#run.set_id), after, limit: PAGE_SIZE };
    return (await tenantTable(this.#scope).query(query)).map(readTestItem);
  }

  /** Answers the items of a page that have no results yet, and stores the progress. */
  async #answer(
    items: readonly StoredTestItem[],
    { tenant, reader, columns }: { tenant: Tenant; reader: SourceReader; columns: readonly AnsweringColumn[] },
  ): Promise<void> {
    const isReadable = await Promise.all(items.map((item) => reader.canRead(item)));
    const readable = items.filter((_, index) => isReadable[index]);
    const cells = readable.flatMap((item) => columns.map((column) => ({ item, column })));
    const toCell = ({ item, column: { column } }: (typeof cells)[number]) =>
      ({ run_id: this.#run.id, item_id: item.id, column, source: item.source }) as const;
    const stored = await findResults(this.#scope, cells.map(toCell));
    for (const result of stored) this.#count(result);
    const isStored = (cell: (typeof cells)[number]) =>
      stored.some((result) => result.item_id === cell.item.id && result.column === cell.column.column);
    const missing = cells.filter((cell) => !isStored(cell));
    await mapConcurrent(
      missing,
      async ({ item, column }) => this.#answerOnce(tenant, await reader.withReadablePassages(item), column),
      this.#run.concurrency,
    );
    this.#run = await changeTestRun(
      this.#scope,
      this.#run,
      { position: items.at(-1)?.id ?? "", leased_until_ms: now() + LEASE_MS },
      {
        done: readable.length,
        skipped: items.length - readable.length,
        ...this.#uncounted(),
      },
    );
  }

  #count(result: StoredResult): void {
    this.#spentMicroUsd += toMicroUsd(result);
    if (result.error) this.#failed++;
  }

  /** Returns what the run does not count yet. */
  #uncounted() {
    return { failed: this.#failed - this.#run.failed, micro_usd: this.#spentMicroUsd - this.#run.micro_usd };
  }

  /** @throws RunEnd if a budget is used up, or the run is canceled */
  async #answerOnce(tenant: Tenant, item: StoredTestItem, column: AnsweringColumn): Promise<void> {
    const { max_cost_usd } = this.#run;
    for (;;) {
      this.#controller.signal.throwIfAborted();
      if (this.#isCanceled) throw new RunEnd("canceled");
      if (max_cost_usd !== null && this.#spentMicroUsd >= max_cost_usd * 1e6) throw new RunEnd("failed", "budget");
      try {
        return this.#count(await answerItem(tenant, this.#run, item, column));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code === "quota_exceeded") throw new RunEnd("failed", "quota");
        if (error.code !== "rate_limited") throw error;
        await sleep(LIMIT_PAUSE_MS);
      }
    }
  }

  async #end(end: Pick<StoredTestRun, "status" | "reason">): Promise<void> {
    await sleep(INDEX_DELAY_MS);
    const summary = await summarizeRun(this.#scope, this.#run);
    const meanScore = summary.summary[0]?.mean_score ?? 0;
    const drop = end.status === "completed" ? await findDrop(this.#scope, this.#run, meanScore) : undefined;
    const changes = { ...end, ...summary, ...(drop && { drop }), ended_at: timestamp() };
    await changeTestRun(this.#scope, this.#run, changes, this.#uncounted());
  }
}

/**
 * Continues the run of a test set. A second message continues it if the function dies. Each result is stored once, by a key that
 * depends on item and column only.
 */
export async function runTests(
  { tenantId, testRun: id, after }: TestRunJob,
  schedule = scheduleTestRun,
  maxJobMs = MAX_JOB_MS,
): Promise<void> {
  const scope = { tenantId };
  const found = await findTestRun(scope, id);
  // Another job has taken over, and has a message of its own.
  if (found?.status !== "running" || (after !== undefined && found.worker !== after)) return;
  const run = await claimTestRun(scope, id);
  const delaySeconds = LEASE_MS / 1_000 + 1;
  if (!run) {
    if (after !== undefined) await schedule({ tenantId, testRun: id, after }, delaySeconds);
    return;
  }
  await schedule({ tenantId, testRun: id, ...(run.worker !== undefined && { after: run.worker }) }, delaySeconds);
  try {
    if (!(await new TestRunWorker(scope, run).work(maxJobMs))) await schedule({ tenantId, testRun: id });
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
    log.info("test run left", { run_id: id });
  }
}
