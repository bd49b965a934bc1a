import { getImportRoute } from "#shared/api/knowledge/imports.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { getImport } from "#shared/knowledge/imports/import-store.ts";

export const handler = endpoint(getImportRoute, async ({ principal, params }) => {
  await getCollection(principal, params.id);
  return getImport(principal, { collection_id: params.id, id: params.import_id });
});
