import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Integer, Limit, PathId, pageOf, Timestamp } from "../fields.ts";

/** Reasons for which a page could not be imported, with the message that tells the user what to do. */
export const importFailures = {
  address_not_allowed: "The address is not on the public internet. Only public addresses can be imported.",
  unreachable: "The address could not be reached in time. Check it and try again.",
  too_many_redirects: "The address redirects too often. Import the final address.",
  too_large: "The page is larger than 10 MiB. Download it and upload it as a file.",
  unsupported: "The address returns a format that cannot be read.",
  refused: "The server refused the request. Check that the page is public.",
  disallowed: "The robots.txt of the site does not allow the import.",
  empty: "The sitemap lists no pages of its own site.",
} as const;

const Failure = v.object({
  code: v.picklist(Object.keys(importFailures) as (keyof typeof importFailures)[]),
  message: v.string(),
});

/** Import of a web page or of the pages of a sitemap. */
export const KnowledgeImport = v.object({
  id: Id,
  collection_id: Id,
  url: v.string(),
  kind: v.picklist(["page", "sitemap"]),
  max_pages: Integer,
  refresh_hours: v.nullable(Integer),
  status: v.pipe(
    v.picklist(["running", "ready", "failed"]),
    v.description("`failed` if no page could be imported; `failure` contains the reason then."),
  ),
  failure: v.nullable(Failure),
  pages: v.pipe(
    v.array(v.object({ url: v.string(), document_id: v.nullable(Id), failure: v.nullable(Failure) })),
    v.description("The pages of the last run, with the documents that contain them."),
  ),
  refreshed_at: v.nullable(Timestamp),
  created_at: Timestamp,
});
export type KnowledgeImport = v.InferOutput<typeof KnowledgeImport>;

const ImportParams = v.object({ id: PathId, import_id: PathId });

export const createImport = defineRoute({
  id: "createImport",
  group: "knowledge",
  method: "POST",
  path: "/v1/knowledge/collections/{id}/imports",
  auth: "jwt",
  capability: "knowledge.create",
  params: IdParams,
  body: v.strictObject({
    url: v.pipe(
      v.string(),
      v.maxLength(2_000, "must have at most 2,000 characters"),
      v.url("must be a URL"),
      v.regex(/^https?:\/\/[^/?#@\s]+(?:[/?#]|$)/i, "must be an http or https URL without credentials"),
    ),
    kind: v.optional(v.picklist(["page", "sitemap"], "must be page or sitemap"), "page"),
    max_pages: v.optional(
      v.pipe(v.number(), v.integer(), v.minValue(1, "must be at least 1"), v.maxValue(50, "must be at most 50")),
      20,
    ),
    refresh_hours: v.optional(
      v.nullable(
        v.pipe(v.number(), v.integer(), v.minValue(1, "must be at least 1"), v.maxValue(720, "must be at most 720")),
      ),
      null,
    ),
  }),
  replies: { 201: KnowledgeImport },
  errors: ["not_found"],
  summary: "Import web pages",
  description:
    "Adds a public web page, or up to 50 pages of a sitemap, as documents. The `robots.txt` of the site is obeyed. With `refresh_hours`, the pages are fetched again in that interval, and a changed page becomes a new version of its document.",
});

export const listImports = defineRoute({
  id: "listImports",
  group: "knowledge",
  method: "GET",
  path: "/v1/knowledge/collections/{id}/imports",
  auth: "jwt",
  params: IdParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("imports", KnowledgeImport) },
  errors: ["not_found", "invalid_cursor"],
  summary: "List imports",
  description: "Returns the imports of a collection in reverse chronological order.",
});

export const getImport = defineRoute({
  id: "getImport",
  group: "knowledge",
  method: "GET",
  path: "/v1/knowledge/collections/{id}/imports/{import_id}",
  auth: "jwt",
  params: ImportParams,
  replies: { 200: KnowledgeImport },
  errors: ["not_found"],
  summary: "Get an import",
});

export const deleteImport = defineRoute({
  id: "deleteImport",
  group: "knowledge",
  method: "DELETE",
  path: "/v1/knowledge/collections/{id}/imports/{import_id}",
  auth: "jwt",
  params: ImportParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden"],
  summary: "Delete an import",
  description:
    "Ends the import and its refreshes; its documents stay. Requires that the caller started the import, owns the collection or has `rbac.manage`.",
});
