import { deleteCollection } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as collections from "#shared/knowledge/collection-store.ts";
import { requireOwnerOrAdmin } from "#shared/knowledge/knowledge-access.ts";

export const handler = endpoint(deleteCollection, async ({ principal, params, rights }) => {
  const collection = await collections.getCollection(principal, params.id);
  requireOwnerOrAdmin(principal.userId, [collection.owner_id], (await rights()).permissions);
  await collections.deleteCollection(principal, collection);
});
