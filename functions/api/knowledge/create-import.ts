import { createImportRoute } from "#shared/api/knowledge/imports.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { newImportWrites } from "#shared/knowledge/imports/import-runs.ts";
import { newImport } from "#shared/knowledge/imports/import-store.ts";
import { requireAllowedAddress } from "#shared/lib/outgoing/find-server-refusal.ts";

export const handler = endpoint(createImportRoute, async ({ principal, params, body, commit }) => {
  requireAllowedAddress(body.url, "url");
  await getCollection(principal, params.id);
  const created = newImport(params.id, principal.userId, body);
  return commit(created, ...newImportWrites(principal, created));
});
