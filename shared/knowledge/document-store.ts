import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { KnowledgeDocument } from "../api/knowledge/documents.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { countWrite } from "./collection-store.ts";
import type { Language } from "./index/languages.ts";
import type { Audience } from "./knowledge-access.ts";

/** Where a document's passages are in the index. */
export interface Placement {
  readonly audience: Audience;
  /** Number of its first passage; the others follow. */
  readonly first: number;
  readonly count: number;
  /** Terms in all of its passages. */
  readonly length: number;
  /** The language by whose rules its words are stemmed. */
  readonly language: Language;
}

/** A document as it is kept. */
export type StoredDocument = KnowledgeDocument & {
  readonly author_id: string;
  /** Set before anything of it is in the index, so that all of it can be found again. */
  readonly placement?: Placement;
  /** Whether the index's statistics count it. */
  readonly counted?: boolean;
  readonly deleted?: boolean;
};

/** A document's name within its tenant. */
export type DocumentRef = Pick<StoredDocument, "id" | "collection_id">;

/** Bytes of a document's compressed text in one item; items end at 400 KB. */
const partSize = 350_000;

const prefix = "document#";

const documentOf = (item: Item) => item as unknown as StoredDocument;

const keyOf = ({ tenantId }: TenantScope, { collection_id, id }: DocumentRef) =>
  keys.document(tenantId, collection_id, id);

/** A fresh document, still to be indexed. */
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

/** The writes that store a fresh document with its text, which is kept compressed; in one transaction. */
export function documentWrites(scope: TenantScope, document: StoredDocument, text: string): Write[] {
  const packed = deflateRawSync(text);
  const parts = Array.from({ length: Math.ceil(packed.length / partSize) }, (_, part) => ({
    put: {
      ...keys.documentSource(scope.tenantId, document.id, part),
      discriminator: "document-source",
      text: packed.subarray(part * partSize, (part + 1) * partSize),
    },
  }));
  return [
    countWrite(scope, document.collection_id, 1),
    { put: { ...keyOf(scope, document), discriminator: "document", timestamp: now(), ...document } },
    ...parts,
  ];
}

/** The text of a document; undefined once it is removed. */
export async function documentText(scope: TenantScope, documentId: string): Promise<string | undefined> {
  const { pk } = keys.documentSource(scope.tenantId, documentId, 0);
  const parts = await tenantTable(scope).query({ pk, consistent: true });
  if (parts.length === 0) return undefined;
  return inflateRawSync(Buffer.concat(parts.map(({ text }) => text as Uint8Array))).toString();
}

/** Those of the documents that are there, deleted ones included, in no particular order. */
export async function findDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<StoredDocument[]> {
  const items = await batchGetAll(
    tenantTable(scope),
    refs.map((ref) => keyOf(scope, ref)),
    { consistent: true },
  );
  return items.map(documentOf);
}

/** @throws ServiceError `not_found` */
export async function getDocument(scope: TenantScope, ref: DocumentRef): Promise<StoredDocument> {
  const [document] = await findDocuments(scope, [ref]);
  if (!document || document.deleted) throw notFound();
  return document;
}

/**
 * Documents of a collection, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listDocuments(
  scope: TenantScope,
  collectionId: string,
  request: PageRequest,
): Promise<Page<StoredDocument>> {
  const { pk } = keys.document(scope.tenantId, collectionId, "");
  const list = { list: "documents", filters: { collectionId }, pk, prefix, descending: true, consistent: true };
  const { entries, next } = await listPage(scope, { ...list, where: ({ deleted }) => !deleted }, request);
  return { entries: entries.map(documentOf), next };
}

/** The next documents of a collection after one of them, deleted ones included, for going through all of it. */
export async function documentsAfter(
  scope: TenantScope,
  collectionId: string,
  after: string | undefined,
  limit: number,
): Promise<StoredDocument[]> {
  const { pk } = keys.document(scope.tenantId, collectionId, "");
  const items = await tenantTable(scope).query({
    pk,
    prefix,
    after: after && prefix + after,
    limit,
    consistent: true,
  });
  return items.map(documentOf);
}

const alive = { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", onConditionFailed: notFound };

/**
 * Deletes a document: it is gone to every reader at once, its passages follow by the change feed.
 * @throws ServiceError `not_found`
 */
export async function deleteDocument(scope: TenantScope, ref: DocumentRef): Promise<void> {
  await tenantTable(scope).transact([
    { update: keyOf(scope, ref), set: { deleted: true, timestamp: now() }, condition: alive },
    countWrite(scope, ref.collection_id, -1),
  ]);
}

/** The write that changes what the index knows of a document that is not deleted. */
export function indexingWrite(
  scope: TenantScope,
  ref: DocumentRef,
  set: Partial<Pick<StoredDocument, "status" | "error" | "chunk_count" | "placement" | "counted">>,
): Write {
  return { update: keyOf(scope, ref), set: { ...set, timestamp: now() }, condition: alive };
}

/** The write that takes a document out of the statistics; it fails where the document is not in them. */
export function discountWrite(scope: TenantScope, ref: DocumentRef): Write {
  return {
    update: keyOf(scope, ref),
    remove: ["counted"],
    set: { timestamp: now() },
    condition: { where: "attribute_exists(#counted)" },
  };
}

/** The write that forgets where a document was in the index. */
export function displaceWrite(scope: TenantScope, ref: DocumentRef): Write {
  return { update: keyOf(scope, ref), remove: ["placement"], condition: { where: "attribute_exists(#pk)" } };
}

/** Marks a document for its own processor to remove. */
export function markDeletedWrite(scope: TenantScope, ref: DocumentRef): Write {
  return {
    update: keyOf(scope, ref),
    set: { deleted: true, timestamp: now() },
    condition: { where: "attribute_exists(#pk)" },
  };
}

/** Removes documents with their texts for good. */
export async function eraseDocuments(scope: TenantScope, refs: readonly DocumentRef[]): Promise<void> {
  const table = tenantTable(scope);
  const parts = await Promise.all(
    refs.map(({ id }) => table.query({ pk: keys.documentSource(scope.tenantId, id, 0).pk, consistent: true })),
  );
  await table.deleteMany(parts.flat());
  await table.deleteMany(refs.map((ref) => keyOf(scope, ref)));
}
