import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, PathId, pageOf, Timestamp } from "../fields.ts";
import { MAX_FORM_FILE_BYTES, MEBIBYTE } from "../limits.ts";
import { DocumentTitle, documentMediaTypes, MAX_FILES, Metadata, Text, TextMediaType, Uri } from "./document-fields.ts";
import { extractionFailures } from "./extraction-failures.ts";
import { DocumentReaders, DocumentReadersInput } from "./readers.ts";

/** Document in a collection, without its text. */
export const KnowledgeDocument = v.object({
  id: Id,
  collection_id: Id,
  title: v.string(),
  uri: v.nullable(v.string()),
  media_type: v.picklist(documentMediaTypes),
  file_name: describe(
    v.nullable(v.string()),
    "The name of the uploaded file. `null` for documents that were added as text.",
  ),
  metadata: v.record(v.string(), v.string()),
  version: describe(Integer, "The latest version, from 1. The other fields describe it."),
  indexed_version: describe(
    v.nullable(Integer),
    "The version that searches find. `null` until the first version is indexed.",
  ),
  status: describe(
    v.picklist(["indexing", "ready", "failed"]),
    "The indexing status of the latest version. Searches find it once it is `ready`; until then, and if it is `failed`, they find the previous version.",
  ),
  stage: describe(
    v.nullable(v.picklist(["queued", "extracting", "indexing", "staged"])),
    "The step that the document is in while it is `indexing`, otherwise `null`. A `staged` version is indexed and becomes visible when its sync is completed.",
  ),
  progress: describe(v.number(), "The progress of indexing, from 0 to 1."),
  failure: describe(
    v.nullable(
      v.object({
        code: v.picklist(Object.keys(extractionFailures) as (keyof typeof extractionFailures)[]),
        message: v.string(),
      }),
    ),
    "The reason if the document is `failed`, with what to do.",
  ),
  error: describe(v.nullable(v.string()), "The message of `failure`."),
  chunk_count: describe(Integer, "The number of passages that the indexed version was split into."),
  page_count: describe(v.nullable(Integer), "The number of pages or slides. `null` in formats without pages."),
  language: describe(
    v.nullable(v.string()),
    "The detected language as an ISO 639-1 code. `null` until the document is indexed.",
  ),
  size: describe(Integer, "The size of the file, or of the text in UTF-8, in bytes."),
  source: v.nullable(v.object({ conversation_id: Id, message_id: Id })),
  author_id: describe(v.string(), "The user who added the document."),
  readers: DocumentReaders,
  created_at: Timestamp,
  updated_at: describe(Timestamp, "When the latest version was added."),
});
export type KnowledgeDocument = v.InferOutput<typeof KnowledgeDocument>;

const DocumentParams = v.object({ id: PathId, document_id: PathId });

const TextDocument = v.strictObject({
  title: DocumentTitle,
  text: Text,
  media_type: v.optional(TextMediaType, "text/plain"),
  uri: Uri,
  metadata: v.optional(Metadata, {}),
  readers: v.optional(DocumentReadersInput, null),
});

/** Outcome of each file of a form, in the order of the form. */
const FileResults = v.object({
  results: v.array(
    v.object({
      file_name: v.string(),
      document: describe(v.nullable(KnowledgeDocument), "The created document; `null` if it was refused."),
      error: describe(
        v.nullable(v.object({ code: v.string(), message: v.string() })),
        "The reason for which the file was refused, otherwise `null`.",
      ),
    }),
  ),
});
export type FileResult = v.InferOutput<typeof FileResults>["results"][number];

const route = routeGroup({ group: "knowledge", auth: "jwt" });

export const createDocumentRoute = route("POST /v1/knowledge/collections/{id}/documents", {
  id: "createDocument",
  capability: "knowledge.create",
  body: TextDocument,
  maxFiles: MAX_FILES,
  storesFiles: true,
  replies: { 201: KnowledgeDocument, 207: FileResults },
  summary: "Add documents to a collection",
  description: `Adds a text as JSON, or up to ${MAX_FILES} files as \`multipart/form-data\`, which may have ${MAX_FORM_FILE_BYTES / MEBIBYTE} MiB each and 4.3 MiB together. Larger files are uploaded with \`createUpload\`. A form is answered with status 207 and one result for each file. Documents are indexed asynchronously: their \`status\` changes from \`indexing\` to \`ready\` or \`failed\`.`,
});

export const replaceDocumentRoute = route("PUT /v1/knowledge/collections/{id}/documents/{document_id}", {
  id: "replaceDocument",
  capability: "knowledge.create",
  params: DocumentParams,
  body: v.omit(TextDocument, ["readers"]),
  maxFiles: 1,
  storesFiles: true,
  replies: { 200: KnowledgeDocument },
  errors: ["forbidden", "conflict"],
  summary: "Replace a document",
  description:
    "Adds a new version, as text or as a file in `multipart/form-data`. Searches find the previous version until the new one is indexed. In a form, fields that are left out keep their values. Requires authorship of the document, ownership of the collection or `rbac.manage`.",
});

export const listDocumentsRoute = route("GET /v1/knowledge/collections/{id}/documents", {
  id: "listDocuments",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("documents", KnowledgeDocument) },
  summary: "List documents",
  description: "Returns the documents of a collection that the caller can read in reverse chronological order.",
});

export const getDocumentRoute = route("GET /v1/knowledge/collections/{id}/documents/{document_id}", {
  id: "getDocument",
  params: DocumentParams,
  replies: { 200: KnowledgeDocument },
  summary: "Get a document",
});

export const updateDocumentRoute = route("PATCH /v1/knowledge/collections/{id}/documents/{document_id}", {
  id: "updateDocument",
  params: DocumentParams,
  body: v.strictObject({ readers: DocumentReadersInput }),
  replies: { 200: KnowledgeDocument },
  errors: ["forbidden", "conflict"],
  summary: "Change the readers of a document",
  description:
    "Narrows the readers of a document, or with `null` gives it those of its collection. Users who lose access stop finding it immediately; users who gain it can open it immediately, and find it once it is indexed again. Requires authorship of the document, ownership of the collection or `rbac.manage`.",
});

export const deleteDocumentRoute = route("DELETE /v1/knowledge/collections/{id}/documents/{document_id}", {
  id: "deleteDocument",
  params: DocumentParams,
  errors: ["forbidden"],
  summary: "Delete a document",
  description: "Requires authorship of the document, ownership of the collection or `rbac.manage`.",
});

export const promoteMessageRoute = route("POST /v1/knowledge/collections/{id}/promote", {
  id: "promoteMessage",
  capability: "knowledge.create",
  body: v.strictObject({
    conversation_id: Id,
    message_id: Id,
    title: v.optional(DocumentTitle),
    readers: v.optional(DocumentReadersInput, null),
  }),
  replies: { 201: KnowledgeDocument },
  errors: ["conflict"],
  summary: "Promote a message to a document",
  description:
    "Creates a document with the content of a message. `source` refers to the message. `title` defaults to the first line of the message.",
});
