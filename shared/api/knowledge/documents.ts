import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, PathId, pageOf, Timestamp } from "../fields.ts";

const Title = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(300, "must have at most 300 characters"),
);

const MediaType = v.picklist(
  ["text/plain", "text/markdown", "text/html"],
  "must be text/plain, text/markdown or text/html",
);

/** Control characters other than white space, which indicate binary data. */
const controlCharacter = /[[\p{Cc}&&\p{ASCII}]--\s]/v;

const Text = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== "", "must not be empty"),
  v.check((text) => !controlCharacter.test(text), "must be plain text without control characters"),
  v.description("The text of the document. The whole request is limited to 1 MiB."),
);

/** Custom metadata of a document. Searches can filter by it. */
export const Metadata = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")),
    v.pipe(v.string(), v.maxLength(256, "must have at most 256 characters")),
  ),
  v.check((metadata) => Object.keys(metadata).length <= 32, "must have at most 32 entries"),
);

/** Document in a collection, without its text. */
export const KnowledgeDocument = v.object({
  id: Id,
  collection_id: Id,
  title: v.string(),
  uri: v.nullable(v.string()),
  media_type: MediaType,
  metadata: v.record(v.string(), v.string()),
  status: v.pipe(
    v.picklist(["indexing", "ready", "failed"]),
    v.description(
      "The indexing status. Searches find the document once it is `ready`. `error` contains the reason if it is `failed`.",
    ),
  ),
  error: v.nullable(v.string()),
  chunk_count: v.pipe(v.number(), v.description("The number of passages that the document was split into.")),
  size: v.pipe(v.number(), v.description("The size of the text in bytes, encoded as UTF-8.")),
  source: v.nullable(v.object({ conversation_id: Id, message_id: Id })),
  created_at: Timestamp,
});
export type KnowledgeDocument = v.InferOutput<typeof KnowledgeDocument>;

const DocumentParams = v.object({ id: PathId, document_id: PathId });

export const createDocument = defineRoute({
  id: "createDocument",
  group: "knowledge",
  method: "POST",
  path: "/v1/knowledge/collections/{id}/documents",
  auth: "jwt",
  capability: "knowledge.create",
  params: IdParams,
  body: v.strictObject({
    title: Title,
    text: Text,
    media_type: v.optional(MediaType, "text/plain"),
    uri: v.nullish(v.pipe(v.string(), v.maxLength(2_000, "must have at most 2,000 characters")), null),
    metadata: v.optional(Metadata, {}),
  }),
  replies: { 201: KnowledgeDocument },
  errors: ["not_found"],
  summary: "Add a document to a collection",
  description: "The document is indexed asynchronously. Its `status` changes from `indexing` to `ready` or `failed`.",
});

export const listDocuments = defineRoute({
  id: "listDocuments",
  group: "knowledge",
  method: "GET",
  path: "/v1/knowledge/collections/{id}/documents",
  auth: "jwt",
  params: IdParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("documents", KnowledgeDocument) },
  errors: ["not_found", "invalid_cursor"],
  summary: "List documents",
  description: "Returns the documents of a collection in reverse chronological order.",
});

export const getDocument = defineRoute({
  id: "getDocument",
  group: "knowledge",
  method: "GET",
  path: "/v1/knowledge/collections/{id}/documents/{document_id}",
  auth: "jwt",
  params: DocumentParams,
  replies: { 200: KnowledgeDocument },
  errors: ["not_found"],
  summary: "Get a document",
});

export const deleteDocument = defineRoute({
  id: "deleteDocument",
  group: "knowledge",
  method: "DELETE",
  path: "/v1/knowledge/collections/{id}/documents/{document_id}",
  auth: "jwt",
  params: DocumentParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden"],
  summary: "Delete a document",
  description: "Requires authorship of the document, ownership of the collection or `rbac.manage`.",
});

export const promoteMessage = defineRoute({
  id: "promoteMessage",
  group: "knowledge",
  method: "POST",
  path: "/v1/knowledge/collections/{id}/promote",
  auth: "jwt",
  capability: "knowledge.create",
  params: IdParams,
  body: v.strictObject({ conversation_id: Id, message_id: Id, title: v.optional(Title) }),
  replies: { 201: KnowledgeDocument },
  errors: ["not_found", "conflict"],
  summary: "Promote a message to a document",
  description:
    "Creates a document with the content of a message. `source` refers to the message. `title` defaults to the first line of the message.",
});
