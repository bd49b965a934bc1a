import { deleteConversation } from "#shared/api/conversations.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import * as conversations from "#shared/data/conversation-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteConversation, async ({ principal, params }) => {
  await conversationFor(principal, params.id, "owner");
  await conversations.deleteConversation(principal, params.id);
});
