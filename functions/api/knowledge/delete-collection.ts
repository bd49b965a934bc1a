import { deleteCollection } from "#shared/api/collections.ts";
import * as collections from "#shared/data/collection-store.ts";
import { requireKeeper } from "#shared/domain/knowledge.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteCollection, async ({ principal, params, rights }) => {
  const collection = await collections.getCollection(principal, params.id);
  requireKeeper(principal.userId, [collection.owner_id], (await rights()).permissions);
  await collections.deleteCollection(principal, collection);
});
