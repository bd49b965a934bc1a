import { listConversations } from "#shared/api/conversations/conversations.ts";
import * as conversations from "#shared/conversations/list-conversations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listConversations, async ({ principal, query: { cursor, ...query } }) => {
  const page = await conversations.listConversations(principal, { ...query, after: cursor });
  return pageReply("conversations", page, query.limit);
});
