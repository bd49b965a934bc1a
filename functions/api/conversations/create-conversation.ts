import { createConversation } from "#shared/api/conversations.ts";
import { defaultTier } from "#shared/api/tiers.ts";
import { newConversation, newConversationWrites } from "#shared/data/conversation-store.ts";
import { personaFor } from "#shared/data/persona-store.ts";
import { asSeenBy } from "#shared/domain/access.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createConversation, async ({ principal, body, commit }) => {
  const persona = body.persona_id === null ? null : (await personaFor(principal, body.persona_id)).persona;
  const tier = body.tier ?? persona?.tier ?? defaultTier;
  const conversation = newConversation(principal.userId, { ...body, tier });
  return commit(asSeenBy(principal.userId, conversation), ...newConversationWrites(principal, conversation));
});
