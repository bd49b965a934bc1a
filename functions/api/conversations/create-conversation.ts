import { createConversation } from "#shared/api/conversations.ts";
import * as conversations from "#shared/data/conversation-store.ts";
import { asSeenBy } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createConversation, async ({ principal, body }) => {
  const conversation = await conversations.createConversation(principal, principal.userId, body);
  return asSeenBy(principal.userId, conversation);
});
