import { updateConversation } from "#shared/api/conversations/conversations.ts";
import { asSeenBy } from "#shared/conversations/access.ts";
import { conversationFor } from "#shared/conversations/access-store.ts";
import * as conversations from "#shared/conversations/conversation-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { personaFor } from "#shared/personas/persona-store.ts";

export const handler = endpoint(updateConversation, async ({ principal, params, body }) => {
  await conversationFor(principal, params.id, "owner");
  if (body.persona_id) await personaFor(principal, body.persona_id);
  return asSeenBy(principal.userId, await conversations.updateConversation(principal, params.id, body));
});
