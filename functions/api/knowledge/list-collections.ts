import { listCollections } from "#shared/api/collections.ts";
import * as collections from "#shared/data/collection-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listCollections, async ({ principal, query }) => {
  const page = await collections.listCollections(principal, query);
  return { collections: [...page.entries], limit: query.limit, next_cursor: page.next };
});
