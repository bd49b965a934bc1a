import { updateConversationRoute } from "#shared/api/conversations/conversations.ts";
import { projectFor } from "#shared/conversations/access.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { updateConversation } from "#shared/conversations/conversation-store.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";

export const handler = endpoint(updateConversationRoute, async ({ principal, params, body }) => {
  const { message_count } = await authorizeConversation(principal, params.id, "owner");
  // Its answers used no memories, and its readers were told that it would be deleted.
  if (body.temporary === false && message_count > 0)
    throw new ServiceError("conflict", "A temporary conversation with messages cannot be kept.");
  if (body.active_message_id) await getMessage(principal, params.id, body.active_message_id);
  if (body.persona_id) await authorizePersonaUse(principal, body.persona_id);
  return projectFor(principal.userId, await updateConversation(principal, params.id, body));
});
