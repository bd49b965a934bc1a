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
  projectCollection,
  updateCollection,
} from "#shared/knowledge/collection-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";
import { requireKnownReaders } from "#shared/knowledge/readers/check-readers.ts";

export const createCollectionHandler = endpoint(createCollectionRoute, async ({ principal, body, commit }) => {
  await requireKnownReaders(principal, body.readers);
  const collection = newCollection(principal.userId, body);
  return commit(projectCollection(principal, collection), ...newCollectionWrites(principal, collection));
});

export const deleteCollectionHandler = endpoint(deleteCollectionRoute, async ({ principal, params, rights }) => {
  const collection = await getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  await deleteCollection(principal, collection);
});

export const getCollectionHandler = endpoint(getCollectionRoute, async ({ principal, params }) =>
  projectCollection(principal, await getCollection(principal, params.id)),
);

export const listCollectionsHandler = endpoint(listCollectionsRoute, async ({ principal, query }) => {
  const { entries, next } = await listCollections(principal, query);
  const collections = entries.map((collection) => projectCollection(principal, collection));
  return pageReply("collections", { entries: collections, next }, query.limit);
});

export const updateCollectionHandler = endpoint(updateCollectionRoute, async ({ principal, params, body, rights }) => {
  const collection = await getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  await requireKnownReaders(principal, body.readers, collection.readers);
  return projectCollection(principal, await updateCollection(principal, collection, body));
});
