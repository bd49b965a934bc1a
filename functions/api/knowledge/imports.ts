import {
  cancelImportRoute,
  createImportRoute,
  deleteImportRoute,
  getImportRoute,
  listImportsRoute,
  retryImportRoute,
} from "#shared/api/knowledge/imports.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { cancelWrites, deleteImport, newImportWrites, restartWrites } from "#shared/knowledge/imports/import-runs.ts";
import { getReadableImport, listImports, newImport } from "#shared/knowledge/imports/import-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";
import { requireKnownReaders } from "#shared/knowledge/readers/check-readers.ts";
import { ReaderAccess } from "#shared/knowledge/readers/reader-access.ts";
import { requireAllowedAddress } from "#shared/lib/outgoing/find-server-refusal.ts";

const refOf = (params: { readonly id: string; readonly import_id: string }) => ({
  collection_id: params.id,
  id: params.import_id,
});

export const cancelImportHandler = endpoint(cancelImportRoute, async ({ principal, params, rights, commit }) => {
  const { collection, found } = await getReadableImport(principal, refOf(params));
  requireOwnerOrAdmin(principal.userId, [collection.owner_id, found.author_id], (await rights()).permissions);
  if (found.status !== "running") return found;
  const [canceled, ...writes] = cancelWrites(principal, found);
  return commit(canceled, ...writes);
});

export const createImportHandler = endpoint(createImportRoute, async ({ principal, params, body, commit }) => {
  requireAllowedAddress(body.url, "url");
  await Promise.all([getCollection(principal, params.id), requireKnownReaders(principal, body.readers)]);
  const created = newImport(params.id, principal.userId, body);
  return commit(created, ...newImportWrites(principal, created));
});

export const deleteImportHandler = endpoint(deleteImportRoute, async ({ principal, params, rights }) => {
  const { collection, found } = await getReadableImport(principal, refOf(params));
  requireOwnerOrAdmin(principal.userId, [collection.owner_id, found.author_id], (await rights()).permissions);
  await deleteImport(principal, found);
});

export const getImportHandler = endpoint(
  getImportRoute,
  async ({ principal, params }) => (await getReadableImport(principal, refOf(params))).found,
);

export const listImportsHandler = endpoint(listImportsRoute, async ({ principal, params, query }) => {
  const access = new ReaderAccess(principal);
  const page = await listImports(access, await getCollection(access, params.id), query);
  return pageReply("imports", page, query.limit);
});

export const retryImportHandler = endpoint(retryImportRoute, async ({ principal, params, rights, commit }) => {
  const { collection, found } = await getReadableImport(principal, refOf(params));
  requireOwnerOrAdmin(principal.userId, [collection.owner_id, found.author_id], (await rights()).permissions);
  const [restarted, ...writes] = restartWrites(principal, found);
  return commit(restarted, ...writes);
});
