import { listCollections } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import * as collections from "#shared/knowledge/collection-store.ts";

export const handler = endpoint(listCollections, async ({ principal, query }) => {
  const page = await collections.listCollections(principal, query);
  return pageReply("collections", page, query.limit);
});
