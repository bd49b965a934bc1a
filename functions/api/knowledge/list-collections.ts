import { listCollections } from "#shared/api/knowledge/collections.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as collections from "#shared/knowledge/collection-store.ts";

export const handler = endpoint(listCollections, async ({ principal, query }) => {
  const page = await collections.listCollections(principal, query);
  return { collections: [...page.entries], limit: query.limit, next_cursor: page.next };
});
