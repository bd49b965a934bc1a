import { getImport } from "#shared/api/knowledge/imports.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import * as imports from "#shared/knowledge/imports/import-store.ts";

export const handler = endpoint(getImport, async ({ principal, params }) => {
  await getCollection(principal, params.id);
  return imports.getImport(principal, { collection_id: params.id, id: params.import_id });
});
