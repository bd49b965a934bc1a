import { createHash } from "node:crypto";
import * as v from "valibot";
import { documentTypes } from "../../api/knowledge/document-types.ts";
import type { Sync, SyncEntry } from "../../api/knowledge/syncs.ts";
import { MAX_UPLOAD_BYTES } from "../../api/limits.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import type { Item, Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { findDocumentType } from "../../files/file-types.ts";
import { sha256 } from "../../lib/hash.ts";
import type { StoredDocument } from "../document-store.ts";

const StoredEntry = v.object({
  path: v.string(),
  /** Digest of the content that was staged last; empty if it could not be processed and should be sent again. */
  hash: v.string(),
  /** Digest of the other fields that a change is recognized by. */
  fields: v.string(),
  document_id: v.string(),
  /** True from the time when a change was staged until it is visible. */
  pending: v.optional(v.boolean()),
  /** True if the text of the content could not be extracted, so that later syncs look at the document. */
  failed: v.optional(v.boolean()),
});
export type StoredEntry = v.InferOutput<typeof StoredEntry>;

export const readEntry = itemReader(StoredEntry);

const StoredRemoval = v.omit(StoredEntry, ["fields", "pending", "failed"]);
export type StoredRemoval = v.InferOutput<typeof StoredRemoval>;

export const readRemoval = itemReader(StoredRemoval);

/** Returns the digest by whose order manifests are sent and entries are stored. */
export const toPathKey = (path: string): string => createHash("sha256").update(path).digest("hex");

const FIELDS_LENGTH = 22;

export const toFieldsDigest = ({ media_type, uri, readers }: SyncEntry): string =>
  sha256(JSON.stringify([media_type, uri, readers])).slice(0, FIELDS_LENGTH);

/** Returns the last part of a path, which names the file. */
export const toFileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1) || path;

/** Returns the media type of a file: the one that the manifest names, or that of its extension; undefined for others. */
export function findMediaType({ media_type, path }: SyncEntry) {
  const type = findDocumentType(toFileName(path));
  return media_type ?? (type ? documentTypes[type].mediaType : undefined);
}

/** Returns the reason why a file cannot become a document; null if it can. */
export function findFileRefusal(entry: SyncEntry): "empty" | "too_large" | "unsupported" | null {
  if (!findMediaType(entry)) return "unsupported";
  if (entry.size === 0) return "empty";
  return entry.size > MAX_UPLOAD_BYTES ? "too_large" : null;
}

/** Codes of failures after which the same content is worth another attempt. */
const retriedFailures: ReadonlySet<string | undefined> = new Set(["upload_missing", "processing_failed"]);

export const isWorthRetrying = ({ status, failure }: StoredDocument): boolean =>
  status === "failed" && retriedFailures.has(failure?.code);

/** Returns why the text of a file could not be extracted; an empty list if it was. */
export const toFailures = (path: string, { id, deleted, status, failure }: StoredDocument): Sync["failures"] =>
  status === "failed" && failure && !deleted ? [{ path, document_id: id, ...failure }] : [];

/** Returns true unless the content of a staged document must be sent again. */
export const hasArrived = (document: StoredDocument): boolean =>
  !document.deleted && !document.awaits_file && !isWorthRetrying(document);

export const toEntryKey = ({ tenantId }: TenantScope, collectionId: string, path: string) =>
  keys.syncEntry(tenantId, collectionId, toPathKey(path));

export const toRemovalKey = ({ tenantId }: TenantScope, collectionId: string, { hash, path }: StoredRemoval) =>
  keys.syncRemoval(tenantId, collectionId, hash, toPathKey(path));

/** Returns the write that stores that a document has, or will have, the content of a file. */
export const entryWrite = (
  scope: TenantScope,
  { id, collection_id }: Pick<StoredDocument, "id" | "collection_id">,
  entry: SyncEntry,
): Write => ({
  put: {
    ...toEntryKey(scope, collection_id, entry.path),
    discriminator: "sync-entry",
    ...{ path: entry.path, hash: entry.hash, fields: toFieldsDigest(entry), document_id: id, pending: true },
  },
});

export const removalWrite = (
  scope: TenantScope,
  collectionId: string,
  { path, hash, document_id }: StoredEntry,
): Write => ({
  put: {
    ...toRemovalKey(scope, collectionId, { path, hash, document_id }),
    discriminator: "sync-removal",
    ...{ path, hash, document_id },
  },
});

/** Returns the path key of an item of an entry. */
export const pathKeyOf = ({ sk }: Item): string => sk.slice(keyPrefixes.syncEntry.length);

/**
 * Reads entries in the order of their path keys, after `after` up to and including `until`.
 * @param limit maximum number of entries
 */
export function queryEntries(
  scope: TenantScope,
  collectionId: string,
  { after, until, limit }: { readonly after: string | null; readonly until: string | null; readonly limit: number },
): Promise<Item[]> {
  const { pk, sk: prefix } = keys.syncEntry(scope.tenantId, collectionId, "");
  // A space precedes hexadecimal digits, and `g` follows them.
  const between = [`${prefix}${after === null ? "" : `${after} `}`, `${prefix}${until ?? "g"}`] as const;
  return tenantTable(scope).query({ pk, between, limit, consistent: true });
}

/** Returns a file that the source no longer has at its path and whose content is the same; undefined if there is none. */
export async function findRemoval(
  scope: TenantScope,
  collectionId: string,
  hash: string,
): Promise<StoredRemoval | undefined> {
  const { pk, sk: prefix } = keys.syncRemoval(scope.tenantId, collectionId, hash, "");
  const [found] = await tenantTable(scope).query({ pk, prefix, limit: 1, consistent: true });
  return found && readRemoval(found);
}
