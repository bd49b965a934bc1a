import { importMessagesRoute } from "#shared/api/conversations/import-messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { importMessagesWrites } from "#shared/conversations/import-messages.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const importMessagesHandler = endpoint(importMessagesRoute, async ({ principal, params, body, commit }) => {
  const conversation = await authorizeConversation(principal, params.id, "owner");
  return commit({ imported: body.messages.length }, ...importMessagesWrites(principal, conversation, body.messages));
});
