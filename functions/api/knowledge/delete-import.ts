import { deleteImportRoute } from "#shared/api/knowledge/imports.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { deleteImport } from "#shared/knowledge/imports/import-runs.ts";
import { getImport } from "#shared/knowledge/imports/import-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";

export const handler = endpoint(deleteImportRoute, async ({ principal, params, rights }) => {
  const collection = await getCollection(principal, params.id);
  const found = await getImport(principal, { collection_id: params.id, id: params.import_id });
  requireOwnerOrAdmin(principal.userId, [collection.owner_id, found.author_id], (await rights()).permissions);
  await deleteImport(principal, found);
});
