import { deleteConversation } from "#shared/api/conversations/conversations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import * as conversations from "#shared/conversations/conversation-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteConversation, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  await conversations.deleteConversation(principal, params.id);
});
