import * as v from "valibot";
import { ImportPage, importFailures, KnowledgeImport } from "../../api/knowledge/imports.ts";
import { itemAccess } from "../../dynamodb/access.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import type { ImportFailure } from "./fetch-public.ts";

export const knowledgeImportAccess = itemAccess("knowledgeImport", "get", "query", "put", "update", "deleteMany");

/**
 * Page of an import. Fifty pages with the longest addresses, 2,000 characters of three bytes each, take 320 KB of the 400 KB
 * that an item may have, so an address is stored once.
 */
const StoredPage = v.object({ ...ImportPage.entries, hash: v.nullable(v.string()) });
export type StoredPage = v.InferOutput<typeof StoredPage>;

const StoredImport = v.object({
  ...KnowledgeImport.entries,
  author_id: v.string(),
  pages: v.array(StoredPage),
  /** Read by the release 0.1.0, which stored the hashes of pages by URL. */
  hashes: v.record(v.string(), v.string()),
  /** Number of the run, which retries and refreshes increment. */
  run: v.number(),
  /** Job that processes the run; only the latest one can change it. */
  worker: v.optional(v.string()),
  /** Number of jobs that were started since the last page was processed. */
  attempts: v.optional(v.number(), 0),
  /** Time of the first job in epoch milliseconds. */
  started_at_ms: v.optional(v.number()),
  /** Run for which the pages were listed. */
  planned_run: v.optional(v.number()),
  /** Number of pages that were processed. */
  done: v.optional(v.number(), 0),
  /** Size of the pages that were fetched. */
  bytes: v.optional(v.number(), 0),
  /** Encoded verdicts of the robots.txt files, by origin. */
  robots: v.optional(v.record(v.string(), v.string()), {}),
});
export type StoredImport = v.InferOutput<typeof StoredImport>;

/** Identifies an import within its tenant. */
export type ImportRef = Pick<StoredImport, "id" | "collection_id">;

/** Run to process; without a run, the import is to be refreshed. */
export interface ImportJob extends ImportRef {
  readonly tenantId: string;
  readonly run?: number;
}

const readCurrentImport = itemReader(StoredImport);

export const toFailure = (code: ImportFailure) => ({ code, message: importFailures[code] });

type Image = Readonly<Record<string, unknown>>;

/** Reads an import. Runs of the release 0.1.0 have no number; one that did not end was interrupted. */
export function readImport(item: Image): StoredImport {
  if (item.run !== undefined) return readCurrentImport(item);
  const hashes = item.hashes as Readonly<Record<string, string>>;
  const pages = (item.pages as Image[]).map((page) => ({
    ...page,
    status: page.failure ? "failed" : "imported",
    hash: hashes[String(page.url)] ?? null,
  }));
  const isInterrupted = item.status === "running";
  const state = isInterrupted ? { status: "failed", failure: toFailure("interrupted") } : {};
  return readCurrentImport({ ...item, ...state, pages, run: 0 });
}

export const toKey = ({ tenantId }: TenantScope, { collection_id, id }: ImportRef) =>
  keys.knowledgeImport(tenantId, collection_id, id);

/** Creates an import that has not run yet. */
export function newImport(
  collectionId: string,
  authorId: string,
  fields: Pick<KnowledgeImport, "url" | "kind" | "max_pages" | "refresh_hours">,
): StoredImport {
  return {
    id: newId(),
    collection_id: collectionId,
    ...fields,
    author_id: authorId,
    status: "running",
    failure: null,
    pages: [],
    hashes: {},
    run: 1,
    attempts: 0,
    done: 0,
    bytes: 0,
    robots: {},
    refreshed_at: null,
    created_at: timestamp(),
  };
}

/** Returns an import, or undefined if it was deleted. */
export async function findImport(scope: TenantScope, ref: ImportRef): Promise<StoredImport | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readImport(item);
}

/** @throws ServiceError `not_found` */
export async function getImport(scope: TenantScope, ref: ImportRef): Promise<StoredImport> {
  const found = await findImport(scope, ref);
  if (!found) throw notFound();
  return found;
}

/**
 * Lists the imports of a collection, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listImports(
  scope: TenantScope,
  collectionId: string,
  request: PageRequest,
): Promise<Page<StoredImport>> {
  const { pk } = keys.knowledgeImport(scope.tenantId, collectionId, "");
  const filters = { collectionId };
  const list: ListQuery = { list: "imports", filters, pk, prefix: keyPrefixes.knowledgeImport, descending: true };
  const { entries, next } = await listPage(scope, { ...list, consistent: true }, request);
  return { entries: entries.map(readImport), next };
}
