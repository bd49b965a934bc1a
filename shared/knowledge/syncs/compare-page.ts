import type * as v from "valibot";
import type { Sync, SyncEntry, syncCollectionRoute } from "../../api/knowledge/syncs.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import type { StoredCollection } from "../collection-store.ts";
import { deleteAll } from "../delete-syncs.ts";
import { findDocuments } from "../document-store.ts";
import {
  findFileRefusal,
  hasArrived,
  pathKeyOf,
  queryEntries,
  readEntry,
  removalWrite,
  type StoredEntry,
  toFailures,
  toFieldsDigest,
  toPathKey,
} from "./sync-entries.ts";
import {
  advanceSync,
  type Comparison,
  emptyComparison,
  mergeFailures,
  openSync,
  projectSync,
  type StoredSync,
} from "./sync-store.ts";

/** Maximum number of stored entries that one page is compared with, which bounds its removals. */
const MAX_COMPARED = 2_000;

/** Page of a manifest, in the order of the digests of its paths. */
type ManifestPage = Readonly<v.InferOutput<(typeof syncCollectionRoute)["body"]>>;

/** Differences between a part of a manifest and the entries that are stored about it. */
interface Differences {
  readonly missing: string[];
  readonly changed: string[];
  readonly removed: StoredEntry[];
  /** Failures of earlier syncs whose files are the same. */
  readonly failures: Sync["failures"];
  readonly refused: { path: string; code: NonNullable<ReturnType<typeof findFileRefusal>> }[];
  /** Digest of the last path that was compared; null if the manifest ends there. */
  readonly end: string | null;
  readonly counts: Omit<Comparison, "cursor" | "is_complete">;
}

/** Returns the files of a page by the digests of their paths. @throws ServiceError `validation_failed` if they are not in order */
function toOrdered({ after, entries, is_last }: ManifestPage): Map<string, SyncEntry> {
  if (entries.length === 0 && !is_last) throw invalidField("entries", "required", "must not be empty unless `is_last`");
  const ordered = new Map<string, SyncEntry>();
  let last = after ?? "";
  for (const [index, entry] of entries.entries()) {
    const key = toPathKey(entry.path);
    if (key <= last) {
      const message = "must be in the order of the SHA-256 digests of the paths, and after `after`";
      throw invalidField(`entries.${index}.path`, "wrong_order", message);
    }
    ordered.set(key, entry);
    last = key;
  }
  return ordered;
}

/** Compares a page with what is stored. Nothing is written. */
async function comparePage(scope: TenantScope, collectionId: string, page: ManifestPage): Promise<Differences> {
  const ordered = toOrdered(page);
  const until = page.is_last ? null : ([...ordered.keys()].at(-1) as string);
  const items = await queryEntries(scope, collectionId, { after: page.after, until, limit: MAX_COMPARED });
  const last = items.length === MAX_COMPARED ? items.at(-1) : undefined;
  const end = last ? pathKeyOf(last) : until;
  const compared = [...ordered].filter(([key]) => end === null || key <= end);
  const stored = new Map(items.map((item) => [pathKeyOf(item), readEntry(item)]));
  const pending = [...stored.values()].filter((entry) => entry.pending);
  // A failed document is read again, because a person may have replaced or deleted it.
  const unsure = [...stored.values()].filter((entry) => entry.pending || entry.failed);
  const documents = await findDocuments(
    scope,
    unsure.map(({ document_id: id }) => ({ id, collection_id: collectionId })),
  );
  const byId = new Map(documents.map((document) => [document.id, document]));
  const arrived = new Set(documents.filter(hasArrived).map(({ id }) => id));
  const isStored = (entry: SyncEntry, known: StoredEntry) =>
    known.hash === entry.hash &&
    known.fields === toFieldsDigest(entry) &&
    (!known.pending || arrived.has(known.document_id));
  const differences = {
    missing: [] as string[],
    changed: [] as string[],
    refused: [] as Differences["refused"],
    failures: [] as Differences["failures"],
  };
  for (const [key, entry] of compared) {
    const known = stored.get(key);
    const code = findFileRefusal(entry);
    if (code) differences.refused.push({ path: entry.path, code });
    else if (!known) differences.missing.push(entry.path);
    else if (!isStored(entry, known)) differences.changed.push(entry.path);
    else if (known.failed) {
      const document = byId.get(known.document_id);
      if (document) differences.failures.push(...toFailures(entry.path, document));
    }
  }
  const removed = [...stored].flatMap(([key, entry]) => (ordered.has(key) ? [] : [entry]));
  const counts = {
    ...{ files: compared.length, refused: differences.refused.length, removed: removed.length },
    ...{ known: stored.size, pending: pending.length, failed: differences.failures.length },
  };
  return { ...differences, removed, end, counts };
}

/**
 * Returns the comparison that a page continues: of the page before it, or, for a page that is sent again, the one before that.
 * @throws ServiceError `conflict` if the page is another one
 */
function toContinued({ comparison, previous }: StoredSync, after: string | null): Comparison {
  if (after === null) return emptyComparison;
  const continued = [comparison, previous].find((each) => each?.cursor === after && !each.is_complete);
  if (continued) return continued;
  const { cursor } = comparison;
  throw new ServiceError("conflict", "The manifest does not continue there.", { details: { cursor } });
}

const add = (one: Comparison, { counts, end }: Differences): Comparison => ({
  cursor: end,
  is_complete: end === null,
  files: one.files + counts.files,
  refused: one.refused + counts.refused,
  removed: one.removed + counts.removed,
  known: one.known + counts.known,
  pending: one.pending + counts.pending,
  failed: one.failed + counts.failed,
});

const toReply = (sync: StoredSync | null, { missing, changed, removed, refused, end }: Differences) => ({
  sync: sync && projectSync(sync),
  ...{ missing, changed, refused, cursor: end },
  removed: removed.map(({ path, hash }) => ({ path, hash })),
});

/**
 * Compares a page of a manifest with a collection, and records which of its files the source no longer has. Without such files, it
 * writes the record of the sync only.
 * @throws ServiceError `conflict` if another sync is in progress, or the page does not continue the manifest
 */
export async function compareManifest(scope: UserScope, collection: StoredCollection, page: ManifestPage) {
  const collectionId = collection.id;
  if (page.dry_run) return toReply(null, await comparePage(scope, collectionId, page));
  const { sync, before } = await openSync(scope, collection, page.sync_id);
  const continued = toContinued(sync, page.after);
  const differences = await comparePage(scope, collectionId, page);
  const comparison = add(continued, differences);
  const isFirst = page.after === null;
  const moved_removals = isFirst ? 0 : sync.moved_removals;
  const failures = mergeFailures(isFirst ? [] : sync.failures, differences.failures);
  const next = { ...sync, moved_removals, failed: comparison.failed, failures, comparison, previous: continued };
  const stored = await advanceSync(scope, before, next);
  const { pk } = keys.syncEntry(scope.tenantId, collectionId, "");
  if (isFirst && before) await deleteAll(scope, pk, keyPrefixes.syncRemoval);
  await mapConcurrent(differences.removed, (entry) =>
    tenantTable(scope).write(removalWrite(scope, collectionId, entry)),
  );
  return toReply(stored, differences);
}
