import {
  createCollectionRoute,
  deleteCollectionRoute,
  getCollectionRoute,
  listCollectionsRoute,
  updateCollectionRoute,
} from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import {
  deleteCollection,
  getCollection,
  listCollections,
  newCollection,
  newCollectionWrites,
  updateCollection,
} from "#shared/knowledge/collection-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";

export const createCollectionHandler = endpoint(createCollectionRoute, async ({ principal, body, commit }) => {
  const collection = newCollection(principal.userId, body);
  return commit(collection, ...newCollectionWrites(principal, collection));
});

export const deleteCollectionHandler = endpoint(deleteCollectionRoute, async ({ principal, params, rights }) => {
  const collection = await getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  await deleteCollection(principal, collection);
});

export const getCollectionHandler = endpoint(getCollectionRoute, ({ principal, params }) =>
  getCollection(principal, params.id),
);

export const listCollectionsHandler = endpoint(listCollectionsRoute, async ({ principal, query }) => {
  const page = await listCollections(principal, query);
  return pageReply("collections", page, query.limit);
});

export const updateCollectionHandler = endpoint(updateCollectionRoute, async ({ principal, params, body, rights }) => {
  const collection = await getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  return updateCollection(principal, collection, body);
});
