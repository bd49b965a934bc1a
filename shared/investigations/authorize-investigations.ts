import type * as v from "valibot";
import type { Investigate, InvestigateInput } from "../api/webhooks/investigate.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { ServiceError } from "../lib/errors.ts";
import { authorizePersonaUse } from "../personas/persona-store.ts";
import type { StoredWebhookChannel } from "../webhooks/webhook-channel-store.ts";

/**
 * Authorizes a user to let the alerts of a channel start investigations that run with the user's permissions.
 * @throws ServiceError `forbidden` for an API key, or without WRITE access to the conversation; `not_found` for a
 * persona that the user cannot use; `conflict` if the channel has no conversation
 */
export async function authorizeInvestigations(
  principal: UserPrincipal,
  { conversation_id }: StoredWebhookChannel,
  settings: v.InferOutput<typeof InvestigateInput>,
): Promise<Investigate> {
  if (principal.apiKey) throw new ServiceError("forbidden", "Only a person can let alerts start investigations.");
  if (conversation_id === null) throw new ServiceError("conflict", "The channel has no conversation.");
  await Promise.all([
    authorizeConversation(principal, conversation_id, "WRITE"),
    authorizePersonaUse(principal, settings.persona),
  ]);
  return { ...settings, set_by: principal.userId };
}
