import * as v from "valibot";
import { TestRun } from "../../api/evaluations/test-runs.ts";
import { scheduledRun } from "../../api/schedules/schedule-run-ref.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import {
  allOf,
  anyOf,
  ConditionFailed,
  equals,
  exists,
  type Item,
  lacksAttribute,
  lessThan,
  type Write,
} from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";

/** Previous run of a schedule, and the comparison with it. */
const TestDrop = v.object({
  previous_run_id: v.string(),
  previous_version: v.number(),
  mean_score: v.number(),
  /** Mean difference of the scores to those of the previous run, and its interval. */
  difference: v.number(),
  interval: v.object({ low: v.number(), high: v.number() }),
});
export type TestDrop = v.InferOutput<typeof TestDrop>;

const StoredTestRun = v.object({
  ...v.omit(TestRun, ["cost_usd"]).entries,
  /** Sum of the costs of the results, in millionths of a dollar. */
  micro_usd: v.number(),
  /** Last item that is done in each column. */
  position: v.optional(v.string()),
  /** Job that works on the run until the end of its lease, unless it renews it. */
  worker: v.optional(v.string()),
  leased_until_ms: v.optional(v.number(), 0),
  ...scheduledRun,
  /** Comparison with the run before of the same schedule, if answers got worse; missing otherwise. */
  drop: v.optional(TestDrop),
});
export type StoredTestRun = v.InferOutput<typeof StoredTestRun>;

export const readTestRun = itemReader(StoredTestRun);

/** Returns a run as the API shows it. */
export const toTestRun = ({ micro_usd, ...run }: StoredTestRun): TestRun => ({ ...run, cost_usd: micro_usd / 1e6 });

const toKey = ({ tenantId }: TenantScope, id: string) => keys.testRun(tenantId, id);

type NewRun = Pick<
  StoredTestRun,
  | ("set_id" | "persona_id" | "columns" | "passages" | "tools" | "concurrency" | "max_cost_usd" | "judge_model")
  | ("estimate" | "author_id" | "schedule_run")
>;

/** Returns a run that is not stored yet. */
export const newTestRun = (fields: NewRun): StoredTestRun => ({
  id: newId(),
  ...fields,
  ...{
    status: "running",
    reason: null,
    is_canceled: false,
    done: 0,
    skipped: 0,
    failed: 0,
    micro_usd: 0,
    leased_until_ms: 0,
  },
  ...{ summary: null, comparisons: null, created_at: timestamp(), ended_at: null },
});

/** Returns the writes that store a run, upon which a job starts it. They fail with `not_found` if its set was deleted. */
export const newTestRunWrites = (scope: TenantScope, run: StoredTestRun): Write[] => [
  { check: keys.testSet(scope.tenantId, run.set_id), condition: exists(notFound) },
  {
    put: {
      ...toKey(scope, run.id),
      ...indexKeys.testRunOfSet(scope.tenantId, run.set_id, run.id),
      discriminator: "test-run",
      timestamp: now(),
      ...run,
    },
  },
];

export async function findTestRun(scope: TenantScope, id: string): Promise<StoredTestRun | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, id), { consistent: true });
  return item && readTestRun(item);
}

/** Lists the runs of a set, newest first. @throws ServiceError `invalid_cursor` */
export async function listTestRuns(
  scope: TenantScope,
  setId: string,
  request: PageRequest,
): Promise<Page<StoredTestRun>> {
  const { gsi1pk: pk } = indexKeys.testRunOfSet(scope.tenantId, setId, "");
  const list = { list: "test-runs", filters: { setId }, index: "gsi1", pk, descending: true } as const;
  return mapPage(await listPage(scope, list, request), readTestRun);
}

/** Time for which a job has a run for itself. It renews the lease long before. */
export const LEASE_MS = 60_000;

/** Error if a run has ended, or another job has taken it over. */
export class RunLost extends Error {
  override name = "RunLost";
}

const isOwn = ({ worker }: StoredTestRun) =>
  equals({ status: "running", ...(worker !== undefined && { worker }) }, () => new RunLost());

/**
 * Gives a run to a new job.
 * @returns the run, or null if it has ended or another job works on it
 */
export async function claimTestRun(scope: TenantScope, id: string): Promise<StoredTestRun | null> {
  const isFree = anyOf([lacksAttribute("leased_until_ms"), lessThan({ leased_until_ms: now() })]);
  try {
    const claimed = await tenantTable(scope).write({
      update: toKey(scope, id),
      set: { worker: newId(), leased_until_ms: now() + LEASE_MS, timestamp: now() },
      condition: allOf([equals({ status: "running" }), isFree]),
    });
    return readTestRun(claimed as Item);
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}

type RunChanges = Partial<
  Pick<
    StoredTestRun,
    "position" | "leased_until_ms" | "status" | "reason" | "summary" | "comparisons" | "drop" | "ended_at"
  >
>;
type RunCounts = Partial<Record<"done" | "skipped" | "failed" | "micro_usd", number>>;

/**
 * Changes a run that a job works on.
 * @throws RunLost if the run has ended, or another job has taken it over
 */
export async function changeTestRun(
  scope: TenantScope,
  run: StoredTestRun,
  changes: RunChanges,
  counts: RunCounts = {},
): Promise<StoredTestRun> {
  const changed = await tenantTable(scope).write({
    update: toKey(scope, run.id),
    set: { ...changes, timestamp: now() },
    add: counts,
    condition: isOwn(run),
  });
  return readTestRun(changed as Item);
}

/** Requests the end of a run, which its job performs. @throws ServiceError `conflict` if it has ended */
export async function cancelTestRun(scope: TenantScope, id: string): Promise<void> {
  const hasEnded = () => new ServiceError("conflict", "The run has ended already.");
  await tenantTable(scope).write({
    update: toKey(scope, id),
    set: { is_canceled: true, timestamp: now() },
    condition: equals({ status: "running" }, hasEnded),
  });
}
