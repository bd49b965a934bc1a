import { deleteConversationRoute } from "#shared/api/conversations/conversations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { deleteConversation } from "#shared/conversations/conversation-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteConversationRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  await deleteConversation(principal, params.id);
});
