import { listConversations } from "#shared/api/conversations/conversations.ts";
import * as conversations from "#shared/conversations/conversation-list.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listConversations, async ({ principal, query: { cursor, ...query } }) => {
  const page = await conversations.listConversations(principal, { ...query, after: cursor });
  return { conversations: [...page.entries], limit: query.limit, next_cursor: page.next };
});
