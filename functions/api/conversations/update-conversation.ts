import { updateConversation } from "#shared/api/conversations.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import * as conversations from "#shared/data/conversation-store.ts";
import { personaFor } from "#shared/data/persona-store.ts";
import { asSeenBy } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateConversation, async ({ principal, params, body }) => {
  await conversationFor(principal, params.id, "owner");
  if (body.persona_id) await personaFor(principal, body.persona_id);
  return asSeenBy(principal.userId, await conversations.updateConversation(principal, params.id, body));
});
