import { getConversation } from "#shared/api/conversations.ts";
import * as conversations from "#shared/data/conversation-store.ts";
import { asSeenBy } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getConversation, async ({ principal, params }) => {
  return asSeenBy(principal.userId, await conversations.getConversation(principal, params.id));
});
