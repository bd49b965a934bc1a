import * as v from "valibot";
import { SYNC_LEASE_MINUTES, Sync } from "../../api/knowledge/syncs.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { equals, type Item, notDeleted, unchanged, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { StoredCollection } from "../collection-store.ts";

/** Progress of the comparison of a manifest, page by page. */
const Comparison = v.object({
  /** Digest of the last path that was compared; null before the first page. */
  cursor: v.nullable(v.string()),
  is_complete: v.boolean(),
  files: v.number(),
  refused: v.number(),
  removed: v.number(),
  /** Number of files that the collection had before, by which removals are measured. */
  known: v.number(),
  /** Number of files that an earlier sync staged without completing it. */
  pending: v.number(),
  /** Number of unchanged files whose text an earlier sync could not extract. */
  failed: v.optional(v.number(), 0),
});
export type Comparison = v.InferOutput<typeof Comparison>;

/** Steps after the client has completed a sync, in order. */
export const syncSteps = ["settle", "mark", "show", "apply", "remove"] as const;

const StoredSync = v.object({
  ...v.omit(Sync, ["files", "refused"]).entries,
  status: v.picklist(["open", "applying", "completed", "failed"]),
  comparison: Comparison,
  /** Comparison before the last page, because a client whose connection was lost sends that page again. */
  previous: v.nullable(Comparison),
  /** Number of removals that turned out to be moves, since the comparison began. */
  moved_removals: v.number(),
  /** Number from which on the collection shows what the sync has staged. */
  number: v.number(),
  /** Number of comparisons of a page; a page that was compared concurrently is rejected. */
  revision: v.number(),
  step: v.optional(v.picklist(syncSteps)),
  /** Sort key after which the step continues. */
  position: v.optional(v.nullable(v.string())),
});
export type StoredSync = v.InferOutput<typeof StoredSync>;

/** Queue message to apply a sync, in the queue of imports. */
export interface SyncJob {
  readonly tenantId: string;
  readonly collection_id: string;
  readonly sync_id: string;
}

export const emptyComparison: Comparison = {
  ...{ cursor: null, is_complete: false, files: 0, refused: 0, removed: 0, known: 0, pending: 0, failed: 0 },
};

const MAX_FAILURES = 20;

/** Returns the failures of a sync with others, at most `MAX_FAILURES`, each path once. */
export function mergeFailures(before: Sync["failures"], others: Sync["failures"]): Sync["failures"] {
  const byPath = new Map([...before, ...others].map((failure) => [failure.path, failure]));
  return [...byPath.values()].slice(0, MAX_FAILURES);
}

const readSync = itemReader(StoredSync);

const toKey = ({ tenantId }: TenantScope, collectionId: string) => keys.sync(tenantId, collectionId);

const leaseEnd = () => new Date(now() + SYNC_LEASE_MINUTES * 60_000).toISOString();

export async function findSync(scope: TenantScope, collectionId: string): Promise<StoredSync | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, collectionId), { consistent: true });
  return item && readSync(item);
}

const isAbandoned = ({ status, expires_at }: StoredSync) => status === "open" && expires_at < timestamp();

export const countRemovals = ({ comparison, moved_removals }: StoredSync): number =>
  Math.max(0, comparison.removed - moved_removals);

/** Returns a sync as clients see it. */
export function projectSync(sync: StoredSync): Sync {
  const { files, refused } = sync.comparison;
  const status = isAbandoned(sync) ? "abandoned" : sync.status;
  return { ...sync, status, files, refused, removed: sync.status === "open" ? countRemovals(sync) : sync.removed };
}

/** Creates the error for a request that another sync of the collection prevents. */
function inProgress({ id, started_at, expires_at, status }: StoredSync): ServiceError {
  const until = status === "open" ? ` It expires at ${expires_at}.` : " Its result is being applied.";
  const message = `The sync ${id} of this collection has been in progress since ${started_at}.${until}`;
  return new ServiceError("conflict", message, { details: { sync: { id, started_at } } });
}

/** Returns the error for a sync that changed between a read and a write. */
const onChanged = (existing: Item | undefined) =>
  existing
    ? inProgress(readSync(existing))
    : new ServiceError("conflict", "The sync does not exist any more. Start another one.");

/**
 * Returns the sync that a request continues, or a new one that is not stored yet.
 * @throws ServiceError `conflict` if another one is in progress, or the one to continue has ended
 */
export async function openSync(
  scope: UserScope,
  { id: collection_id, completed_syncs }: StoredCollection,
  syncId: string | undefined,
): Promise<{ readonly sync: StoredSync; readonly before: StoredSync | undefined }> {
  const before = await findSync(scope, collection_id);
  if (syncId !== undefined) return { sync: requireOpen(before, syncId), before };
  if (before?.status === "failed" && before.step !== undefined) {
    // Its result may be half applied, and is invisible to the comparison of another sync.
    await tenantTable(scope).write(applyWrite(scope, before));
    throw inProgress({ ...before, status: "applying" });
  }
  if (before && (before.status === "applying" || (before.status === "open" && !isAbandoned(before)))) {
    throw inProgress(before);
  }
  const sync: StoredSync = {
    ...{ id: newId(), collection_id, author_id: scope.userId, status: "open", number: completed_syncs + 1 },
    ...{ added: 0, changed: 0, moved: 0, removed: 0, failed: 0, failures: [], moved_removals: 0, revision: 0 },
    ...{ comparison: emptyComparison, previous: null, completed_at: null },
    ...{ started_at: timestamp(), expires_at: leaseEnd() },
  };
  return { sync, before };
}

/** @throws ServiceError `conflict` if the sync is not the current one or not open */
export function requireOpen(sync: StoredSync | undefined, syncId: string): StoredSync {
  if (sync?.id === syncId && sync.status === "open") return sync;
  if (sync && sync.id !== syncId && sync.status !== "completed") throw inProgress(sync);
  throw new ServiceError("conflict", "The sync has ended or never began. Start another one.");
}

/**
 * Stores what a page of the manifest has changed, and renews the lease.
 * @throws ServiceError `conflict` if another request was faster
 */
export async function advanceSync(
  scope: TenantScope,
  before: StoredSync | undefined,
  sync: StoredSync,
): Promise<StoredSync> {
  const next = { ...sync, revision: (before?.revision ?? 0) + 1, expires_at: leaseEnd() };
  const { id } = before ?? {};
  const isSame = before && id === sync.id;
  await tenantTable(scope).write({
    put: { ...toKey(scope, sync.collection_id), discriminator: "sync", timestamp: now(), ...next },
    condition: isSame
      ? equals({ id, status: "open", revision: before.revision }, onChanged)
      : unchanged(before, "id", onChanged),
  });
  return next;
}

/** Counts staged files, and renews the lease. It throws ServiceError `conflict` if the sync has ended. */
export async function countStaged(
  scope: TenantScope,
  { id, collection_id }: StoredSync,
  counts: Pick<StoredSync, "added" | "changed" | "moved">,
): Promise<void> {
  const add = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  await tenantTable(scope).write({
    update: toKey(scope, collection_id),
    set: { expires_at: leaseEnd(), timestamp: now() },
    add: { ...add, ...(counts.moved > 0 && { moved_removals: counts.moved }) },
    condition: equals({ id, status: "open" }, onChanged),
  });
}

/** Returns the write that starts the application of a sync, upon which the rule `run-sync` sends its job. */
export function applyWrite(scope: TenantScope, sync: StoredSync): Write {
  const { id, collection_id, status } = sync;
  const { step = syncSteps[0], position = null, removed } = sync;
  return {
    update: toKey(scope, collection_id),
    set: { status: "applying", step, position, removed, timestamp: now() },
    condition: equals({ id, status }, onChanged),
  };
}

/** Returns the write that stores how far a sync was applied. It fails if another job has begun the next step. */
export const stepWrite = (
  scope: TenantScope,
  { id, collection_id, step }: StoredSync,
  changes: Partial<Pick<StoredSync, "step" | "position" | "failed" | "failures">>,
): Write => ({
  update: toKey(scope, collection_id),
  set: { ...changes, timestamp: now() },
  condition: equals({ id, status: "applying", step }),
});

/** Returns the write that ends a sync. */
export const endWrite = (
  scope: TenantScope,
  { id, collection_id, status }: StoredSync,
  result: "completed" | "failed",
): Write => ({
  update: toKey(scope, collection_id),
  set: { status: result, timestamp: now(), ...(result === "completed" && { completed_at: timestamp() }) },
  remove: result === "completed" ? ["step", "position"] : [],
  condition: equals({ id, status }),
});

/**
 * Returns the write from which on readers see what a sync has staged. It throws ServiceError `not_found` if the collection is
 * deleted.
 */
export const completedSyncsWrite = (scope: TenantScope, collectionId: string, completed_syncs: number): Write => ({
  update: keys.collection(scope.tenantId, collectionId),
  set: { completed_syncs, timestamp: now() },
  condition: notDeleted(notFound),
});
