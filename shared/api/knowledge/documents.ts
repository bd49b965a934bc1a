import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, PathId, pageOf, Timestamp } from "../fields.ts";
import { documentTypes } from "./document-types.ts";
import { extractionFailures } from "./extraction-failures.ts";

const Title = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(300, "must have at most 300 characters"),
);

const TextMediaType = v.picklist(
  ["text/plain", "text/markdown", "text/html"],
  "must be text/plain, text/markdown or text/html",
);

const mediaTypes = Object.values(documentTypes).map(({ mediaType }) => mediaType);

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
  media_type: v.picklist(mediaTypes),
  file_name: v.pipe(
    v.nullable(v.string()),
    v.description("The name of the uploaded file. `null` for documents that were added as text."),
  ),
  metadata: v.record(v.string(), v.string()),
  version: v.pipe(v.number(), v.description("The latest version, from 1. The other fields describe it.")),
  indexed_version: v.pipe(
    v.nullable(v.number()),
    v.description("The version that searches find. `null` until the first version is indexed."),
  ),
  status: v.pipe(
    v.picklist(["indexing", "ready", "failed"]),
    v.description(
      "The indexing status of the latest version. Searches find it once it is `ready`; until then, and if it is `failed`, they find the previous version.",
    ),
  ),
  stage: v.pipe(
    v.nullable(v.picklist(["queued", "extracting", "indexing"])),
    v.description("The step that the document is in while it is `indexing`, otherwise `null`."),
  ),
  progress: v.pipe(v.number(), v.description("The progress of indexing, from 0 to 1.")),
  failure: v.pipe(
    v.nullable(v.object({ code: v.picklist(Object.keys(extractionFailures)), message: v.string() })),
    v.description("The reason if the document is `failed`, with what to do."),
  ),
  error: v.pipe(v.nullable(v.string()), v.description("The message of `failure`.")),
  chunk_count: v.pipe(v.number(), v.description("The number of passages that the indexed version was split into.")),
  page_count: v.pipe(
    v.nullable(v.number()),
    v.description("The number of pages or slides. `null` in formats without pages."),
  ),
  language: v.pipe(
    v.nullable(v.string()),
    v.description("The detected language as an ISO 639-1 code. `null` until the document is indexed."),
  ),
  size: v.pipe(v.number(), v.description("The size of the file, or of the text in UTF-8, in bytes.")),
  source: v.nullable(v.object({ conversation_id: Id, message_id: Id })),
  created_at: Timestamp,
  updated_at: v.pipe(Timestamp, v.description("When the latest version was added.")),
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
    media_type: v.optional(TextMediaType, "text/plain"),
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
