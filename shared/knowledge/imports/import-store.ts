import * as v from "valibot";
import { KnowledgeImport } from "../../api/knowledge/imports.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { ignoreConditionFailed, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import { notFound } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";

/** A stored import. */
const StoredImport = v.object({
  ...KnowledgeImport.entries,
  author_id: v.string(),
  /** SHA-256 of the content of each page, by URL, to detect changes. */
  hashes: v.record(v.string(), v.string()),
});
export type StoredImport = v.InferOutput<typeof StoredImport>;

/** Identifies an import within its tenant. */
export type ImportRef = Pick<StoredImport, "id" | "collection_id">;

const readImport = itemReader(StoredImport);

const toKey = ({ tenantId }: TenantScope, { collection_id, id }: ImportRef) =>
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
    refreshed_at: null,
    created_at: timestamp(),
  };
}

/** Returns the write that stores a new import. A stream processor then starts it. */
export const newImportWrite = (scope: TenantScope, created: StoredImport): Write => ({
  put: { ...toKey(scope, created), discriminator: "import", timestamp: now(), ...created },
});

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

/** Stores the result of a run, unless the import was deleted, and schedules the next one. */
export async function storeRun(scope: TenantScope, { refresh_hours, ...run }: StoredImport): Promise<void> {
  const { status, failure, pages, hashes } = run;
  const table = tenantTable(scope);
  await table
    .write({
      update: toKey(scope, run),
      set: { status, failure, pages, hashes, refreshed_at: timestamp(), timestamp: now() },
      condition: { where: "attribute_exists(#pk)" },
    })
    .catch(ignoreConditionFailed);
  if (refresh_hours === null) return;
  // The expiry of this item starts the next run.
  await table.write({
    put: {
      ...keys.importTimer(scope.tenantId, run.collection_id, run.id),
      discriminator: "import-timer",
      id: run.id,
      collection_id: run.collection_id,
      ttl: expiresAfter(refresh_hours * 3_600),
    },
  });
}

/** Deletes an import with its timer. */
export async function deleteImport(scope: TenantScope, ref: ImportRef): Promise<void> {
  const timer = keys.importTimer(scope.tenantId, ref.collection_id, ref.id);
  await tenantTable(scope).deleteMany([toKey(scope, ref), timer]);
}

/** Deletes all imports of a collection with their timers. */
export async function deleteImports(scope: TenantScope, collectionId: string): Promise<void> {
  const { pk } = keys.knowledgeImport(scope.tenantId, collectionId, "");
  const table = tenantTable(scope);
  for (const prefix of [keyPrefixes.knowledgeImport, keyPrefixes.importTimer]) {
    await table.deleteMany(await table.query({ pk, prefix, consistent: true }));
  }
}
