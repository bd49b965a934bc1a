import { deleteCollectionRoute } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteCollection, getCollection } from "#shared/knowledge/collection-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";

export const handler = endpoint(deleteCollectionRoute, async ({ principal, params, rights }) => {
  const collection = await getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  await deleteCollection(principal, collection);
});
