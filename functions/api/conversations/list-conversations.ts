import { listConversations } from "#shared/api/conversations.ts";
import * as conversations from "#shared/data/conversation-store.ts";
import { asSeenBy } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listConversations, async ({ principal, query: { cursor, ...query } }) => {
  const page = await conversations.listConversations(principal, principal.userId, { ...query, after: cursor });
  return {
    conversations: page.entries.map((entry) => asSeenBy(principal.userId, entry)),
    limit: query.limit,
    next_cursor: page.next,
  };
});
