import { createConversation } from "#shared/api/conversations.ts";
import { conversationWrite, newConversation } from "#shared/data/conversation-store.ts";
import { asSeenBy } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createConversation, async ({ principal, body, commit }) => {
  const conversation = newConversation(principal.userId, body);
  return commit(asSeenBy(principal.userId, conversation), conversationWrite(principal, conversation));
});
