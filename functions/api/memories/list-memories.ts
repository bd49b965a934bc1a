import { listMemories } from "#shared/api/memories.ts";
import * as memories from "#shared/data/memory-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listMemories, async ({ principal, query }) => {
  const page = await memories.listMemories(principal, query);
  return { memories: [...page.entries], limit: query.limit, next_cursor: page.next };
});
