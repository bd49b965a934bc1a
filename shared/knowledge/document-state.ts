import { extractionFailures } from "../api/knowledge/extraction-failures.ts";
import { keys } from "../dynamodb/keys.ts";
import { allOf, equals, exists, hasAttribute, notDeleted, type Write } from "../dynamodb/table.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import type { DocumentRef, StoredDocument } from "./document-store.ts";
import type { Placement } from "./placement.ts";
import { notStaged, stagedNames, toActive } from "./staged.ts";

/** Code of the reason why a document could not be indexed. */
export type FailureCode = keyof typeof extractionFailures;

export type VersionRef = DocumentRef & Pick<StoredDocument, "version">;

const toKey = ({ tenantId }: TenantScope, { collection_id, id }: DocumentRef) =>
  keys.document(tenantId, collection_id, id);

/** Condition that a version is still the latest one and waits to be indexed. It throws ServiceError `not_found`. */
const isPending = (ref: VersionRef) =>
  allOf([notDeleted(), equals({ version: ref.version, status: "indexing" })], notFound);

/**
 * Returns the write that changes a version that is not indexed yet. Unless the version failed or awaits its
 * file, the rule `index-document` then indexes it. The write throws ServiceError `not_found` if the version was replaced,
 * finished or deleted concurrently.
 */
export function pendingWrite(
  scope: TenantScope,
  ref: VersionRef,
  set: Partial<StoredDocument>,
  remove: readonly (keyof StoredDocument)[] = [],
): Write {
  return {
    update: toKey(scope, ref),
    set: { ...set, timestamp: now() },
    remove,
    condition: isPending(ref),
  };
}

/** Returns the write that marks a version as failed. If an earlier version is indexed, it stays searchable. */
export function failureWrite(scope: TenantScope, ref: VersionRef, code: FailureCode): Write {
  const message = extractionFailures[code];
  const failed = { status: "failed", stage: null, error: message, failure: { code, message } } as const;
  return pendingWrite(scope, ref, failed, ["awaits_file"]);
}

/** Returns the placement that the next placement of a document replaces. */
export const findReplaced = ({ staged_in, placement, staged_placement }: StoredDocument): Placement | undefined =>
  staged_in === undefined ? placement : staged_placement;

/**
 * Returns the write that activates the next placement of a document. From then on, searches find it, and the current
 * placement is scheduled for removal. That of a staged document waits until its sync is completed.
 */
export function activationWrite(scope: TenantScope, document: StoredDocument, next: Placement): Write {
  const { staged_in, retired = [] } = document;
  const isStaged = staged_in !== undefined;
  const replaced = findReplaced(document);
  const set = isStaged ? ({ stage: "staged", progress: 1, staged_placement: next } as const) : toActive(next);
  const write = pendingWrite(scope, document, { ...set, ...(replaced && { retired: [...retired, replaced] }) }, [
    "next_placement",
  ]);
  const unchanged = isStaged ? equals({ staged_in }) : notStaged;
  return { ...write, condition: allOf([isPending(document), unchanged], notFound) };
}

/** Returns the write that makes the staged state of a document its own. It fails if that has happened. */
export function appliedWrite(scope: TenantScope, document: StoredDocument): Write {
  const { placement, staged_placement, staged_changes, retired = [], status, stage, progress } = document;
  const isIndexing = status === "indexing" && stage !== "staged";
  return {
    update: toKey(scope, document),
    set: {
      ...staged_changes,
      ...(staged_placement && toActive(staged_placement)),
      ...(staged_placement && placement && { retired: [...retired, placement] }),
      ...(isIndexing && { status, stage, progress }),
      timestamp: now(),
    },
    remove: stagedNames,
    condition: allOf([notDeleted(), hasAttribute("staged_in")]),
  };
}

/** Returns the write that schedules the removal of a placement that was never activated. */
export function discardWrite(
  scope: TenantScope,
  { retired = [], ...document }: StoredDocument,
  next: Placement,
): Write {
  return {
    update: toKey(scope, document),
    set: { retired: [...retired, next], timestamp: now() },
    remove: ["next_placement"],
    condition: exists(),
  };
}

/**
 * Returns the write that schedules the removal of a document's active and staged placements, so that searches no longer find it.
 * The write fails if there are none.
 */
export function deactivationWrite(
  scope: TenantScope,
  { retired = [], placement, ...document }: StoredDocument,
  placements: readonly Placement[],
): Write {
  return {
    update: toKey(scope, document),
    set: { retired: [...retired, ...placements], timestamp: now() },
    remove: ["placement", "staged_placement"],
    condition: hasAttribute(placement ? "placement" : "staged_placement"),
  };
}

/** Returns the write that stores which placements remain to be removed; an empty list removes the attribute. */
export function retiredWrite(scope: TenantScope, ref: DocumentRef, retired: readonly Placement[]): Write {
  const change = retired.length > 0 ? { set: { retired, timestamp: now() } } : { remove: ["retired"] };
  return { update: toKey(scope, ref), ...change, condition: exists() };
}

/**
 * Returns the write that schedules a document to be indexed again. It throws ServiceError `not_found` if the document
 * is deleted.
 */
export function reindexWrite(scope: TenantScope, ref: DocumentRef): Write {
  return {
    update: toKey(scope, ref),
    set: { status: "indexing", stage: "queued", progress: 0, timestamp: now() },
    condition: notDeleted(notFound),
  };
}

/** Returns the write that marks a document as deleted, upon which the rule `index-document` purges it. */
export function markDeletedWrite(scope: TenantScope, ref: DocumentRef): Write {
  return { update: toKey(scope, ref), set: { deleted: true, timestamp: now() }, condition: exists() };
}
