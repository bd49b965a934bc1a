import { createCollection } from "#shared/api/collections.ts";
import { collectionWrites, newCollection } from "#shared/data/collection-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createCollection, async ({ principal, body, commit }) => {
  const collection = newCollection(principal.userId, body);
  return commit(collection, ...collectionWrites(principal, collection));
});
