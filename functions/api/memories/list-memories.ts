import { listMemories } from "#shared/api/memory/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import * as memories from "#shared/memory/memory-store.ts";

export const handler = endpoint(listMemories, async ({ principal, query }) => {
  const page = await memories.listMemories(principal, query);
  return pageReply("memories", page, query.limit);
});
