import { toLine } from "../../api/fields.ts";
import type { SyncEntry } from "../../api/knowledge/syncs.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { allOf, equals, exists, isPerformed, notDeleted, type Write } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { changedConcurrently, invalidField, ServiceError } from "../../lib/errors.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { toTitle } from "../add-files.ts";
import type { StoredCollection } from "../collection-store.ts";
import {
  findDocuments,
  newDocument,
  newDocumentWrites,
  type StoredDocument,
  toDocumentKey,
} from "../document-store.ts";
import { newVersionWrites, withNewVersion } from "../document-versions.ts";
import { toAudience } from "../readers/audiences.ts";
import { requireKnownReaders } from "../readers/check-readers.ts";
import { type StagedChanges, toIndexable } from "../staged.ts";
import { createUploadRequest } from "../upload-store.ts";
import {
  entryWrite,
  findFileRefusal,
  findMediaType,
  findRemoval,
  hasArrived,
  readEntry,
  type StoredEntry,
  toEntryKey,
  toFieldsDigest,
  toFileName,
  toRemovalKey,
} from "./sync-entries.ts";
import { countRemovals, countStaged, findSync, requireOpen } from "./sync-store.ts";

/** Collection whose files are staged, and who stages them. */
interface Target {
  readonly scope: UserScope;
  readonly collection: StoredCollection;
  /** Number of the sync. */
  readonly staged_in: number;
}

interface StagedFile {
  readonly change: "added" | "changed" | "moved" | "none";
  readonly document: StoredDocument;
}

/** Longest path that fits into the metadata of a document. */
const MAX_METADATA_LENGTH = 256;
const MAX_NAME_LENGTH = 255;

const toName = ({ path }: SyncEntry) => toLine(toFileName(path)).slice(0, MAX_NAME_LENGTH) || "file";

const toMetadata = ({ path, modified_at }: SyncEntry) => ({
  ...(path.length <= MAX_METADATA_LENGTH && { path }),
  ...(modified_at && { modified_at }),
});

const toVersionFields = (entry: SyncEntry) => ({
  file_name: toName(entry),
  media_type: findMediaType(entry) as StoredDocument["media_type"],
  size: entry.size,
});

function toChanges(entry: SyncEntry, document: StoredDocument): StagedChanges {
  const { title, file_name } = toIndexable(document);
  const { readers, uri } = entry;
  const name = toName(entry);
  // A title that is not that of the file was found in its text.
  const isRenamed = file_name !== name && file_name !== null && title === toTitle(file_name);
  return { readers, uri, metadata: toMetadata(entry), file_name: name, ...(isRenamed && { title: toTitle(name) }) };
}

/**
 * Returns the writes that stage changes of the fields of a document. It is indexed again if its passages will have another title
 * or audience.
 */
function changeWrites({ scope, collection, staged_in }: Target, entry: SyncEntry, document: StoredDocument): Write[] {
  const staged_changes = { ...document.staged_changes, ...toChanges(entry, document) };
  const changed = { ...document, ...staged_changes };
  const placement = document.staged_placement ?? document.placement;
  const isMisplaced = placement?.audience !== toAudience(collection, changed) || placement.title !== changed.title;
  const isReindexed = placement !== undefined && isMisplaced && document.status !== "failed" && !document.awaits_file;
  return [
    {
      update: toDocumentKey(scope, document),
      set: {
        staged_in,
        staged_changes,
        ...(isReindexed && { status: "indexing", stage: "queued", progress: 0 }),
        timestamp: now(),
      },
      condition: allOf([notDeleted(), equals({ version: document.version })], () =>
        changedConcurrently("The document"),
      ),
    },
    entryWrite(scope, document, entry),
  ];
}

/** Stages a file that the source had before. */
async function stageChange(
  target: Target,
  entry: SyncEntry,
  known: StoredEntry,
  document: StoredDocument,
): Promise<StagedFile> {
  const { scope, staged_in } = target;
  const isExpected = known.hash === entry.hash && (document.awaits_file || hasArrived(document));
  if (isExpected) {
    const isSame = known.fields === toFieldsDigest(entry);
    if (!isSame) await tenantTable(scope).transact(changeWrites(target, entry, document));
    return { change: isSame ? "none" : "changed", document };
  }
  const { title, uri, metadata } = document;
  const changed = withNewVersion(document, { title, uri, metadata, ...toVersionFields(entry) });
  const staged = { staged_in, staged_changes: toChanges(entry, document) };
  await tenantTable(scope).transact([
    ...(await newVersionWrites(scope, document, changed, null, staged)),
    entryWrite(scope, document, entry),
  ]);
  return { change: "changed", document: { ...changed, awaits_file: true } };
}

/** Stages a new path of a file that is no longer at another one; undefined if there is none with this content. */
async function stageMove(target: Target, entry: SyncEntry): Promise<StagedFile | undefined> {
  const { scope, collection } = target;
  const removal = await findRemoval(scope, collection.id, entry.hash);
  if (!removal) return undefined;
  const [document] = await findDocuments(scope, [{ id: removal.document_id, collection_id: collection.id }]);
  if (!document || !hasArrived(document)) return undefined;
  const moving = tenantTable(scope).transact([
    ...changeWrites(target, entry, document),
    { delete: toRemovalKey(scope, collection.id, removal), condition: exists() },
    { delete: toEntryKey(scope, collection.id, removal.path) },
  ]);
  return (await isPerformed(moving)) ? { change: "moved", document } : undefined;
}

function toNewFile({ scope, collection, staged_in }: Target, entry: SyncEntry): StagedFile {
  const { uri, readers } = entry;
  const fields = toVersionFields(entry);
  const document = newDocument(collection.id, scope.userId, {
    ...{ ...fields, uri, readers, title: toTitle(fields.file_name), metadata: toMetadata(entry), source: null },
  });
  return { change: "added", document: { ...document, staged_in, awaits_file: true } };
}

async function readKnown({ scope, collection }: Target, entries: readonly SyncEntry[]) {
  const items = await batchGetAll(
    tenantTable(scope),
    entries.map(({ path }) => toEntryKey(scope, collection.id, path)),
    { consistent: true },
  );
  const known = new Map(items.map(readEntry).map((entry) => [entry.path, entry]));
  const refs = [...known.values()].map(({ document_id: id }) => ({ id, collection_id: collection.id }));
  const documents = new Map((await findDocuments(scope, refs)).map((document) => [document.id, document]));
  return (path: string) => {
    const entry = known.get(path);
    const document = entry && documents.get(entry.document_id);
    return entry && document && !document.deleted ? { entry, document } : undefined;
  };
}

/** @throws ServiceError `validation_failed` for a path that is named twice or a file that cannot become a document */
function requireStageable(entries: readonly SyncEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const code = findFileRefusal(entry);
    if (code) throw invalidField(`entries.${index}`, code, "cannot become a document");
  }
  if (new Set(entries.map(({ path }) => path)).size < entries.length) {
    throw invalidField("entries", "duplicate", "must name each path once");
  }
}

/**
 * Stores new and changed files of a sync without showing them, and returns for each how it is uploaded. Files that were staged
 * before are not written again.
 * @throws ServiceError `conflict` if the sync has ended or its manifest is not complete
 */
export async function stageEntries(
  scope: UserScope,
  collection: StoredCollection,
  { sync_id, entries }: { readonly sync_id: string; readonly entries: readonly SyncEntry[] },
) {
  requireStageable(entries);
  await requireKnownReaders(scope, [...new Set(entries.flatMap(({ readers }) => readers ?? []))]);
  const sync = requireOpen(await findSync(scope, collection.id), sync_id);
  if (!sync.comparison.is_complete) throw new ServiceError("conflict", "The manifest is not complete yet.");
  const target = { scope, collection, staged_in: sync.number };
  const findKnown = await readKnown(target, entries);
  const findsMoves = countRemovals(sync) > 0;
  const staged = await mapConcurrent(entries, async (entry) => {
    const known = findKnown(entry.path);
    if (known) return stageChange(target, entry, known.entry, known.document);
    return (findsMoves && (await stageMove(target, entry))) || toNewFile(target, entry);
  });
  const added = staged.flatMap(({ change, document }, index) => {
    const entry = entries[index];
    return change === "added" && entry ? [{ document, entry }] : [];
  });
  if (added.length > 0) {
    const documents = added.map(({ document }) => ({ document, source: null }));
    const writes = added.map(({ document, entry }) => entryWrite(scope, document, entry));
    await tenantTable(scope).transact([...(await newDocumentWrites(scope, documents)), ...writes]);
  }
  const count = (kind: StagedFile["change"]) => staged.filter(({ change }) => change === kind).length;
  await countStaged(scope, sync, { added: added.length, changed: count("changed"), moved: count("moved") });
  const results = entries.map(({ path, size }, index) => {
    const { change, document } = staged[index] as StagedFile;
    const upload = document.awaits_file ? createUploadRequest(scope, document, size) : null;
    return { path, document_id: document.id, change, upload };
  });
  return { results };
}
