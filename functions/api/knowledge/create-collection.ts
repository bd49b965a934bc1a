import { createCollectionRoute } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";

export const handler = endpoint(createCollectionRoute, async ({ principal, body, commit }) => {
  const collection = newCollection(principal.userId, body);
  return commit(collection, ...newCollectionWrites(principal, collection));
});
