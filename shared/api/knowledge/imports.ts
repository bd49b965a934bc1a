import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, HttpUrl, Id, Integer, Limit, PathId, pageOf, Timestamp, wholeNumber } from "../fields.ts";
import { MAX_IMPORT_BYTES, MAX_WEB_PAGE_BYTES, MEBIBYTE } from "../limits.ts";
import { DocumentReaders, DocumentReadersInput } from "./readers.ts";

/** Reasons for which a page could not be imported, with the message that tells the user what to do. */
export const importFailures = {
  address_not_allowed: "The address is not on the public internet. Only public addresses can be imported.",
  port_not_allowed: "The port of the address is not allowed. Pages are imported from the ports 80 and 443.",
  unreachable: "The address could not be reached in time. Check it and try again.",
  too_many_redirects: "The address redirects too often. Import the final address.",
  too_large: `The page is larger than ${MAX_WEB_PAGE_BYTES / MEBIBYTE} MiB. Download it and upload it as a file.`,
  unsupported: "The address returns a format that cannot be read.",
  refused: "The server refused the request. Check that the page is public.",
  disallowed: "The robots.txt of the site does not allow the import.",
  empty: "The sitemap lists no pages of its own site.",
  import_too_large: `The pages of the import exceed ${MAX_IMPORT_BYTES / MEBIBYTE} MiB. Import fewer pages.`,
  storage_full: "The organization has reached its limit of documents or bytes. Delete documents, or ask the operator.",
  timeout: "The import took longer than ten minutes. Retry it, or import fewer pages.",
  interrupted: "The import was interrupted repeatedly. Retry it.",
} as const;

const Failure = v.object({
  code: v.picklist(Object.keys(importFailures) as (keyof typeof importFailures)[]),
  message: v.string(),
});

export const ImportPage = v.object({
  url: v.string(),
  status: v.picklist(["pending", "imported", "failed"]),
  document_id: v.nullable(Id),
  failure: v.nullable(Failure),
});

/** Import of a web page or of the pages of a sitemap. */
export const KnowledgeImport = v.object({
  id: Id,
  collection_id: Id,
  url: v.string(),
  kind: v.picklist(["page", "sitemap"]),
  max_pages: Integer,
  refresh_hours: v.nullable(Integer),
  readers: DocumentReaders,
  status: describe(
    v.picklist(["running", "ready", "failed", "canceled"]),
    "`failed` if no page could be imported, or if the import ended before its last page; `failure` contains the reason then.",
  ),
  failure: v.nullable(Failure),
  pages: describe(
    v.array(ImportPage),
    "The pages of the last run, with the documents that contain them. Each is stored as soon as it was fetched.",
  ),
  refreshed_at: v.nullable(Timestamp),
  created_at: Timestamp,
});
export type KnowledgeImport = v.InferOutput<typeof KnowledgeImport>;

const ImportParams = v.object({ id: PathId, import_id: PathId });

const route = routeGroup({ group: "knowledge", auth: "jwt" });

export const createImportRoute = route("POST /v1/knowledge/collections/{id}/imports", {
  id: "createImport",
  capability: "knowledge.create",
  body: v.strictObject({
    url: HttpUrl,
    kind: v.optional(v.picklist(["page", "sitemap"], "must be page or sitemap"), "page"),
    max_pages: v.optional(wholeNumber(1, 50), 20),
    refresh_hours: v.optional(v.nullable(wholeNumber(1, 720)), null),
    readers: v.optional(DocumentReadersInput, null),
  }),
  replies: { 201: KnowledgeImport },
  errors: ["conflict"],
  summary: "Import web pages",
  description: `Adds a public web page, or up to 50 pages of a sitemap, as documents. The \`robots.txt\` of the site is obeyed, also at the targets of redirects. A page may have ${MAX_WEB_PAGE_BYTES / MEBIBYTE} MiB and take 25 seconds, an import ${MAX_IMPORT_BYTES / MEBIBYTE} MiB and ten minutes. With \`refresh_hours\`, the pages are fetched again in that interval, and a changed page becomes a new version of its document. Its \`readers\` become those of new documents, and the import itself is readable for them only. Returns 409 if 20 imports of the organization are in progress.`,
});

export const listImportsRoute = route("GET /v1/knowledge/collections/{id}/imports", {
  id: "listImports",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("imports", KnowledgeImport) },
  summary: "List imports",
  description: "Returns the imports of a collection that the caller can read in reverse chronological order.",
});

export const getImportRoute = route("GET /v1/knowledge/collections/{id}/imports/{import_id}", {
  id: "getImport",
  params: ImportParams,
  replies: { 200: KnowledgeImport },
  summary: "Get an import",
});

export const deleteImportRoute = route("DELETE /v1/knowledge/collections/{id}/imports/{import_id}", {
  id: "deleteImport",
  params: ImportParams,
  errors: ["forbidden"],
  summary: "Delete an import",
  description:
    "Ends the import and its refreshes; its documents stay. Requires that the caller started the import, owns the collection or has `rbac.manage`.",
});

export const cancelImportRoute = route("POST /v1/knowledge/collections/{id}/imports/{import_id}/cancel", {
  id: "cancelImport",
  params: ImportParams,
  replies: { 200: KnowledgeImport },
  errors: ["forbidden", "conflict"],
  summary: "Cancel an import",
  description:
    "Ends the run of an import that is in progress. Documents that it has stored stay, and it is not refreshed until it is retried. An import that is not in progress stays as it is. Requires that the caller started the import, owns the collection or has `rbac.manage`.",
});

export const retryImportRoute = route("POST /v1/knowledge/collections/{id}/imports/{import_id}/retry", {
  id: "retryImport",
  params: ImportParams,
  replies: { 200: KnowledgeImport },
  errors: ["forbidden", "conflict"],
  summary: "Retry an import",
  description:
    "Fetches the pages of an import again. A page that has not changed since it was stored stays as it is. Returns 409 if the import, or 20 other imports of the organization, are in progress. Requires that the caller started the import, owns the collection or has `rbac.manage`.",
});
