import { listMemoriesRoute } from "#shared/api/memory/memories.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listMemories } from "#shared/memory/memory-store.ts";

export const handler = endpoint(listMemoriesRoute, async ({ principal, query }) => {
  const page = await listMemories(principal, query);
  return pageReply("memories", page, query.limit);
});
