import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import {
  allOf,
  anyOf,
  ConditionFailed,
  differs,
  equals,
  type Item,
  lacksAttribute,
  lessThan,
  type Write,
} from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { ImportFailure } from "./fetch-public.ts";
import { findImport, type ImportRef, readImport, type StoredImport, toImportFailure, toKey } from "./import-store.ts";

/** Maximum number of imports of a tenant that can be in progress at the same time. */
const MAX_RUNNING_IMPORTS = 20;

/** Attributes of an import that its jobs change. */
type RunChanges = Partial<
  Pick<
    StoredImport,
    | "pages"
    | "worker"
    | "attempts"
    | "started_at_ms"
    | "planned_run"
    | "done"
    | "bytes"
    | "robots"
    | "status"
    | "failure"
  >
>;

/**
 * Returns the write that changes the number of imports in progress. With `1`, it throws ServiceError `conflict` if
 * `MAX_RUNNING_IMPORTS` are in progress.
 * @throws ServiceError `conflict` if too many imports are in progress
 */
const runningWrite = ({ tenantId }: TenantScope, change: 1 | -1): Write => ({
  update: keys.runningImports(tenantId),
  set: { discriminator: "running-imports", timestamp: now() },
  add: { count: change },
  ...(change === 1 && {
    condition: anyOf(
      [lacksAttribute("count"), lessThan({ count: MAX_RUNNING_IMPORTS })],
      () =>
        new ServiceError(
          "conflict",
          `${MAX_RUNNING_IMPORTS} imports are in progress. Wait until one has ended, or cancel one, and try again.`,
        ),
    ),
  }),
});

/**
 * Returns the writes that store a new import. They must be one transaction, upon which the rule `run-import` starts the
 * import. It throws ServiceError `conflict` if too many imports are in progress.
 */
export const newImportWrites = (scope: TenantScope, created: StoredImport): Write[] => [
  { put: { ...toKey(scope, created), discriminator: "knowledge-import", timestamp: now(), ...created } },
  runningWrite(scope, 1),
];

/** Error if a run has ended or another job has taken it over. */
export class RunSuperseded extends Error {
  override name = "RunSuperseded";
}

/** Condition that a run is in progress. If `worker` is set, no other job may have taken the run over. */
function isRunning({ run, worker, done }: StoredImport, onConditionFailed: () => Error) {
  return equals({ status: "running", run, ...(worker !== undefined && { worker, done }) }, onConditionFailed);
}

const superseded = () => new RunSuperseded();

/**
 * Returns the write that stores the progress of a run. It throws `RunSuperseded` if the run has ended or another job
 * has taken it over.
 */
export const progressWrite = (scope: TenantScope, current: StoredImport, changes: RunChanges): Write => ({
  update: toKey(scope, current),
  set: { ...changes, timestamp: now() },
  condition: isRunning(current, superseded),
});

/**
 * Makes a new job the only one that can change a run.
 * @throws RunSuperseded if the run has ended or another job has claimed it
 */
export async function claimRun(scope: TenantScope, current: StoredImport): Promise<StoredImport> {
  const { worker: _, ...others } = current;
  const changes = {
    worker: newId(),
    attempts: current.attempts + 1,
    started_at_ms: current.started_at_ms ?? now(),
  };
  return readImport((await tenantTable(scope).write(progressWrite(scope, others, changes))) as Item);
}

/** Returns the write of the item whose expiry starts the next run. */
const timerWrite = ({ tenantId }: TenantScope, { id, collection_id }: ImportRef, refreshHours: number): Write => ({
  put: {
    ...keys.importTimer(tenantId, collection_id, id),
    discriminator: "import-timer",
    id,
    collection_id,
    ttl: expiresAfter(refreshHours * 3_600),
  },
});

/**
 * Stores the result of a run and schedules the next one.
 * @throws RunSuperseded if the run has ended or another job has taken it over
 */
export async function endRun(
  scope: TenantScope,
  current: StoredImport,
  changes: Pick<StoredImport, "status" | "failure" | "pages">,
): Promise<void> {
  const refreshed_at = timestamp();
  const set = { ...changes, refreshed_at, robots: {}, timestamp: now() };
  const { refresh_hours } = current;
  await tenantTable(scope).transact([
    { update: toKey(scope, current), set, remove: ["worker"], condition: isRunning(current, superseded) },
    runningWrite(scope, -1),
    ...(refresh_hours === null ? [] : [timerWrite(scope, current, refresh_hours)]),
  ]);
}

/**
 * Ends a run as failed before its last page. The remaining pages are marked as failed.
 * @throws RunSuperseded if the run has ended or another job has taken it over
 */
export function abortRun(scope: TenantScope, current: StoredImport, code: ImportFailure): Promise<void> {
  const failure = toImportFailure(code);
  const isRemaining = (index: number) => current.planned_run === current.run && index >= current.done;
  const pages = current.pages.map((page, index) =>
    isRemaining(index) ? { ...page, status: "failed" as const, failure } : page,
  );
  return endRun(scope, current, { status: "failed", failure, pages });
}

/**
 * Returns an import with another run, and the writes that start the run. They throw ServiceError `conflict` if a run or
 * too many imports are in progress.
 */
export function restartWrites(scope: TenantScope, current: StoredImport): readonly [StoredImport, ...Write[]] {
  const { worker: _, started_at_ms: __, ...others } = current;
  const state = { status: "running", failure: null, attempts: 0, done: 0, bytes: 0, robots: {} } as const;
  const pages = current.pages.map((page) => ({ ...page, status: "pending" as const, failure: null }));
  const restarted = { ...others, ...state, pages, run: current.run + 1 };
  const onConditionFailed = (existing: Item | undefined) =>
    existing
      ? new ServiceError("conflict", "The import is in progress. Wait until it has ended, or cancel it.")
      : notFound();
  const update: Write = {
    update: toKey(scope, current),
    set: { ...state, pages, run: restarted.run, timestamp: now() },
    remove: ["worker", "started_at_ms", "planned_run"],
    condition: allOf([equals({ run: current.run }), differs({ status: "running" })], onConditionFailed),
  };
  return [restarted, update, runningWrite(scope, 1)];
}

/**
 * Returns a canceled import, and the writes that cancel its run. They throw ServiceError `conflict` if no run is in
 * progress.
 */
export function cancelWrites(scope: TenantScope, current: StoredImport): readonly [StoredImport, ...Write[]] {
  const { worker: _, ...run } = current;
  const onConditionFailed = () => new ServiceError("conflict", "The import is not in progress.");
  const changes = { status: "canceled", failure: null, refreshed_at: timestamp() } as const;
  return [
    { ...run, ...changes },
    {
      update: toKey(scope, current),
      set: { ...changes, robots: {}, timestamp: now() },
      remove: ["worker"],
      condition: isRunning(run, onConditionFailed),
    },
    runningWrite(scope, -1),
    { delete: keys.importTimer(scope.tenantId, current.collection_id, current.id) },
  ];
}

/** Deletes an import and its timer. A run in progress ends, because its jobs can no longer store anything. */
export async function deleteImport(scope: TenantScope, ref: ImportRef): Promise<void> {
  const table = tenantTable(scope);
  const found = await findImport(scope, ref);
  if (found?.status === "running") {
    const { worker: _, ...run } = found;
    try {
      const condition = isRunning(run, superseded);
      await table.transact([{ delete: toKey(scope, ref), condition }, runningWrite(scope, -1)]);
    } catch (error) {
      if (!(error instanceof RunSuperseded)) throw error;
      // The run has ended or another one has begun.
      return deleteImport(scope, ref);
    }
  } else if (found) {
    try {
      await table.write({ delete: toKey(scope, ref), condition: differs({ status: "running" }) });
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      return deleteImport(scope, ref);
    }
  }
  await table.deleteMany([keys.importTimer(scope.tenantId, ref.collection_id, ref.id)]);
}

/** Deletes all imports of a collection and their timers. */
export async function deleteImports(scope: TenantScope, collectionId: string): Promise<void> {
  const { pk } = keys.knowledgeImport(scope.tenantId, collectionId, "");
  const table = tenantTable(scope);
  const imports = await table.query({ pk, prefix: keyPrefixes.knowledgeImport, consistent: true });
  for (const { id } of imports) await deleteImport(scope, { id: String(id), collection_id: collectionId });
  await table.deleteMany(await table.query({ pk, prefix: keyPrefixes.importTimer, consistent: true }));
}
