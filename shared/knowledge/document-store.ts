import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import { KnowledgeDocument } from "../api/knowledge/documents.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { documentCountWrite } from "./collection-store.ts";
import type { Language } from "./index/languages.ts";
import type { Audience } from "./knowledge-access.ts";

/** Location of a document's passages in the index. */
export interface Placement {
  readonly audience: Audience;
  /** Number of the first passage; the others follow. */
  readonly first: number;
  readonly count: number;
  /** Number of terms in all passages. */
  readonly length: number;
  /** Language whose stemmer is used. */
  readonly language: Language;
}

/** A stored document. */
const StoredDocument = v.object({
  ...KnowledgeDocument.entries,
  author_id: v.string(),
  /** Set before the first passage is indexed, so that all passages can be removed after an interruption. */
  placement: v.optional(trusted<Placement>()),
  /** Set while the statistics of the index include the document. */
  counted: v.optional(v.boolean()),
  deleted: v.optional(v.boolean()),
});
export type StoredDocument = v.InferOutput<typeof StoredDocument>;

/** Identifies a document within its tenant. */
export type DocumentRef = Pick<StoredDocument, "id" | "collection_id">;

/** Size limit of a part of a document's compressed text: DynamoDB items are limited to 400 KB. */
const MAX_PART_BYTES = 350_000;

const readDocument = itemReader(StoredDocument);

const toKey = ({ tenantId }: TenantScope, { collection_id, id }: DocumentRef) =>
  keys.document(tenantId, collection_id, id);

/** Creates a document that is not indexed yet. */
export function newDocument(
  collectionId: string,
  authorId: string,
  text: string,
  fields: Pick<KnowledgeDocument, "title" | "media_type" | "uri" | "metadata" | "source">,
): StoredDocument {
  return {
    id: newId(),
    collection_id: collectionId,
    ...fields,
    author_id: authorId,
    status: "indexing",
    error: null,
    chunk_count: 0,
    size: Buffer.byteLength(text),
    created_at: timestamp(),
  };
}

/** Returns the writes that store a new document with its compressed text. They must be one transaction. */
export function newDocumentWrites(scope: TenantScope, document: StoredDocument, text: string): Write[] {
  const compressed = deflateRawSync(text);
  const partWrites = Array.from({ length: Math.ceil(compressed.length / MAX_PART_BYTES) }, (_, part) => ({
    put: {
      ...keys.documentSource(scope.tenantId, document.id, part),
      discriminator: "document-source",
      text: compressed.subarray(part * MAX_PART_BYTES, (part + 1) * MAX_PART_BYTES),
    },
  }));
  return [
    documentCountWrite(scope, document.collection_id, 1),
    { put: { ...toKey(scope, document), discriminator: "document", timestamp: now(), ...document } },
    ...partWrites,
  ];
}

/** Returns the text of a document, or undefined if it was purged. */
export async function findDocumentText(scope: TenantScope, documentId: string): Promise<string | undefined> {
  const { pk } = keys.documentSource(scope.tenantId, documentId, 0);
  const parts = await tenantTable(scope).query({ pk, consistent: true });
  if (parts.length === 0) return undefined;
  return inflateRawSync(Buffer.concat(parts.map(({ text }) => text as Uint8Array))).toString();
}

/** Returns the documents that exist, including deleted ones, in no particular order. */
export async function findDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<StoredDocument[]> {
  const items = await batchGetAll(
    tenantTable(scope),
    refs.map((ref) => toKey(scope, ref)),
    { consistent: true },
  );
  return items.map(readDocument);
}

/** @throws ServiceError `not_found` */
export async function getDocument(scope: TenantScope, ref: DocumentRef): Promise<StoredDocument> {
  const [document] = await findDocuments(scope, [ref]);
  if (!document || document.deleted) throw notFound();
  return document;
}

/**
 * Lists the documents of a collection, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listDocuments(
  scope: TenantScope,
  collectionId: string,
  request: PageRequest,
): Promise<Page<StoredDocument>> {
  const { pk } = keys.document(scope.tenantId, collectionId, "");
  const list: ListQuery = {
    list: "documents",
    filters: { collectionId },
    pk,
    prefix: keyPrefixes.document,
    descending: true,
    consistent: true,
    where: ({ deleted }) => !deleted,
  };
  const { entries, next } = await listPage(scope, list, request);
  return { entries: entries.map(readDocument), next };
}

/** Lists the documents of a collection that follow a document id, including deleted ones, for a sweep. */
export async function listDocumentsAfter(
  scope: TenantScope,
  collectionId: string,
  afterId: string | undefined,
  limit: number,
): Promise<StoredDocument[]> {
  const { pk } = keys.document(scope.tenantId, collectionId, "");
  const items = await tenantTable(scope).query({
    pk,
    prefix: keyPrefixes.document,
    after: afterId && keys.document(scope.tenantId, collectionId, afterId).sk,
    limit,
    consistent: true,
  });
  return items.map(readDocument);
}

const alive = { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", onConditionFailed: notFound };

/**
 * Deletes a document. It disappears for all readers at once; a stream processor then removes its passages.
 * @throws ServiceError `not_found`
 */
export async function deleteDocument(scope: TenantScope, ref: DocumentRef): Promise<void> {
  await tenantTable(scope).transact([
    { update: toKey(scope, ref), set: { deleted: true, timestamp: now() }, condition: alive },
    documentCountWrite(scope, ref.collection_id, -1),
  ]);
}

/** Returns the write that updates the indexing state of a document. It throws ServiceError `not_found` if it is deleted. */
export function indexingWrite(
  scope: TenantScope,
  ref: DocumentRef,
  set: Partial<Pick<StoredDocument, "status" | "error" | "chunk_count" | "placement" | "counted">>,
): Write {
  return { update: toKey(scope, ref), set: { ...set, timestamp: now() }, condition: alive };
}

/** Returns the write that marks a document as not counted. It fails if the document is not counted. */
export function uncountWrite(scope: TenantScope, ref: DocumentRef): Write {
  return {
    update: toKey(scope, ref),
    remove: ["counted"],
    set: { timestamp: now() },
    condition: { where: "attribute_exists(#counted)" },
  };
}

/** Returns the write that removes the placement of a document. */
export function removePlacementWrite(scope: TenantScope, ref: DocumentRef): Write {
  return { update: toKey(scope, ref), remove: ["placement"], condition: { where: "attribute_exists(#pk)" } };
}

/** Returns the write that marks a document as deleted; the stream processor of documents then purges it. */
export function markDeletedWrite(scope: TenantScope, ref: DocumentRef): Write {
  return {
    update: toKey(scope, ref),
    set: { deleted: true, timestamp: now() },
    condition: { where: "attribute_exists(#pk)" },
  };
}

/** Deletes documents and their texts permanently. */
export async function purgeDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<void> {
  const table = tenantTable(scope);
  const parts = await Promise.all(
    refs.map(({ id }) => table.query({ pk: keys.documentSource(scope.tenantId, id, 0).pk, consistent: true })),
  );
  await table.deleteMany(parts.flat());
  await table.deleteMany(refs.map((ref) => toKey(scope, ref)));
}
