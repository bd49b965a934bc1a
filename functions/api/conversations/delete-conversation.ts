import { deleteConversation } from "#shared/api/conversations/conversations.ts";
import { conversationFor } from "#shared/conversations/access-store.ts";
import * as conversations from "#shared/conversations/conversation-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteConversation, async ({ principal, params }) => {
  await conversationFor(principal, params.id, "owner");
  await conversations.deleteConversation(principal, params.id);
});
