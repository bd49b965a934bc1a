import { updateCollectionRoute } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection, updateCollection } from "#shared/knowledge/collection-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";

export const handler = endpoint(updateCollectionRoute, async ({ principal, params, body, rights }) => {
  const collection = await getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  return updateCollection(principal, collection, body);
});
