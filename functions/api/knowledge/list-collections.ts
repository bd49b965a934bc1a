import { listCollectionsRoute } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listCollections } from "#shared/knowledge/collection-store.ts";

export const handler = endpoint(listCollectionsRoute, async ({ principal, query }) => {
  const page = await listCollections(principal, query);
  return pageReply("collections", page, query.limit);
});
