import * as v from "valibot";
import { ImportPage, importFailures, KnowledgeImport } from "../../api/knowledge/imports.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { type ListQuery, listPage, mapPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { getCollection, type StoredCollection } from "../collection-store.ts";
import type { KnowledgeReader } from "../knowledge-access.ts";
import { ReaderAccess } from "../readers/reader-access.ts";
import type { ImportFailure } from "./fetch-public.ts";

/**
 * Page of an import. Fifty pages with URLs of the maximum length, 2,000 characters of three bytes each, take 320 KB of
 * the 400 KB of an item. So each URL is stored only once.
 */
const StoredPage = v.object({ ...ImportPage.entries, hash: v.nullable(v.string()) });
export type StoredPage = v.InferOutput<typeof StoredPage>;

const StoredImport = v.object({
  ...KnowledgeImport.entries,
  author_id: v.string(),
  pages: v.array(StoredPage),
  /** Number of the run. Retries and refreshes start a run with the next number. */
  run: v.number(),
  /** Id of the job that processes the run. Only the job that claimed the run last can change it. */
  worker: v.optional(v.string()),
  /** Number of jobs that were started since a page was last processed. */
  attempts: v.number(),
  /** Start of the first job of the run, in epoch milliseconds. */
  started_at_ms: v.optional(v.number()),
  /** Number of the run for which `pages` was listed. */
  planned_run: v.optional(v.number()),
  /** Number of pages that the run has processed. */
  done: v.number(),
  /** Total size of the pages that the run has fetched, in bytes. */
  bytes: v.number(),
  /** Encoded robots.txt rules by origin, which later jobs of the run use again. */
  robots: v.record(v.string(), v.string()),
});
export type StoredImport = v.InferOutput<typeof StoredImport>;

/** Key of an import within its tenant. */
export type ImportRef = Pick<StoredImport, "id" | "collection_id">;

/** Queue message to process a run. Without `run`, it requests a refresh of the import. */
export interface ImportJob extends ImportRef {
  readonly tenantId: string;
  readonly run?: number;
}

export const readImport = itemReader(StoredImport);

export const toImportFailure = (code: ImportFailure) => ({ code, message: importFailures[code] });

export const toKey = ({ tenantId }: TenantScope, { collection_id, id }: ImportRef) =>
  keys.knowledgeImport(tenantId, collection_id, id);

/** Creates an import with its first run in progress and no pages listed yet. */
export function newImport(
  collectionId: string,
  authorId: string,
  fields: Pick<KnowledgeImport, "url" | "kind" | "max_pages" | "refresh_hours"> &
    Partial<Pick<KnowledgeImport, "readers">>,
): StoredImport {
  return {
    id: newId(),
    collection_id: collectionId,
    readers: null,
    ...fields,
    author_id: authorId,
    status: "running",
    failure: null,
    pages: [],
    run: 1,
    attempts: 0,
    done: 0,
    bytes: 0,
    robots: {},
    refreshed_at: null,
    created_at: timestamp(),
  };
}

/** Returns an import; undefined if it does not exist. */
export async function findImport(scope: TenantScope, ref: ImportRef): Promise<StoredImport | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readImport(item);
}

/**
 * Returns an import, and its collection, if the reader may read the documents that it creates. Its pages name them.
 * @throws ServiceError `not_found`
 */
export async function getReadableImport(
  reader: KnowledgeReader,
  ref: ImportRef,
): Promise<{ readonly collection: StoredCollection; readonly found: StoredImport }> {
  const access = ReaderAccess.of(reader);
  const [collection, found] = await Promise.all([getCollection(access, ref.collection_id), findImport(reader, ref)]);
  if (!found) throw notFound();
  await access.authorize(collection, found);
  return { collection, found };
}

/**
 * Lists the imports of a collection whose documents the reader may read, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listImports(
  reader: KnowledgeReader,
  collection: StoredCollection,
  request: PageRequest,
): Promise<Page<StoredImport>> {
  const { pk } = keys.knowledgeImport(reader.tenantId, collection.id, "");
  const access = ReaderAccess.of(reader);
  const list: ListQuery = {
    list: "imports",
    filters: { collectionId: collection.id },
    pk,
    prefix: keyPrefixes.knowledgeImport,
    descending: true,
    consistent: true,
    where: (item) => access.canRead(collection, readImport(item)),
  };
  return mapPage(await listPage(reader, list, request), readImport);
}
