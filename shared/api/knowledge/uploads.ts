import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, fileSize, Id, Timestamp } from "../fields.ts";
import { MAX_UPLOAD_BYTES, MEBIBYTE, UPLOAD_SECONDS } from "../limits.ts";
import { DocumentTitle, FileName, Metadata, Uri } from "./document-fields.ts";
import { KnowledgeDocument } from "./documents.ts";
import { DocumentReadersInput } from "./readers.ts";

/** Presigned request that uploads a file. */
export const PresignedUpload = v.object({
  method: v.literal("PUT"),
  url: describe(v.string(), "The URL to send the file to, as the body of one request."),
  headers: describe(v.record(v.string(), v.string()), "The headers that the request must have."),
  expires_at: Timestamp,
});

const route = routeGroup({ group: "knowledge", auth: "jwt" });

export const createUploadRoute = route("POST /v1/knowledge/collections/{id}/uploads", {
  id: "createUpload",
  capability: "knowledge.create",
  body: v.strictObject({
    file_name: FileName,
    size: fileSize(MAX_UPLOAD_BYTES),
    document_id: describe(
      v.optional(Id),
      "The document that gets a new version. Without it, a new document is created.",
    ),
    title: v.optional(DocumentTitle),
    uri: Uri,
    metadata: v.optional(Metadata),
    readers: describe(
      v.optional(DocumentReadersInput),
      "The readers of a new document. Those of an existing one are changed with `updateDocument`.",
    ),
  }),
  storesFiles: true,
  replies: {
    201: v.object({
      document: KnowledgeDocument,
      upload: PresignedUpload,
    }),
  },
  errors: ["forbidden", "conflict", "unsupported_media_type"],
  summary: "Start the upload of a file",
  description: `Creates a document, or a new version of one, and returns a presigned URL for a file of up to ${MAX_UPLOAD_BYTES / MEBIBYTE} MiB. Send the file to the URL within ${UPLOAD_SECONDS / 60} minutes; its processing starts by itself.`,
});
