import { createConversationRoute } from "#shared/api/conversations/conversations.ts";
import { defaultTier } from "#shared/api/tiers.ts";
import { projectFor } from "#shared/conversations/access.ts";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizePersonaUse } from "#shared/personas/persona-store.ts";

export const handler = endpoint(createConversationRoute, async ({ principal, body, commit }) => {
  const persona = body.persona_id === null ? null : (await authorizePersonaUse(principal, body.persona_id)).persona;
  const tier = body.tier ?? persona?.tier ?? defaultTier;
  const conversation = newConversation(principal.userId, { ...body, tier });
  return commit(projectFor(principal.userId, conversation), ...newConversationWrites(principal, conversation));
});
