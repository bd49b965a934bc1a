import { listConversationsRoute } from "#shared/api/conversations/conversations.ts";
import { listConversations } from "#shared/conversations/list-conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listConversationsRoute, async ({ principal, query: { cursor, ...query } }) => {
  const page = await listConversations(principal, { ...query, after: cursor });
  return pageReply("conversations", page, query.limit);
});
