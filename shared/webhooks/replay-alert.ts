import { createHash } from "node:crypto";
import type { ChannelPrincipal } from "../auth/principal.ts";
import { getConversation } from "../conversations/conversation-store.ts";
import { findMessage } from "../conversations/message-store.ts";
import { notFound, requireFound, ServiceError } from "../lib/errors.ts";
import type { Alert } from "./adapters/types.ts";
import { alertMessage } from "./alert-message.ts";
import { ConcurrentDeliveryError, findDelivery, findIncidentMessageId, recordDelivery } from "./delivery-store.ts";
import { updateIncidentMessage } from "./incident-message.ts";
import type { StoredWebhookChannel } from "./webhook-channel-store.ts";

/**
 * Returns the principal that a delivery of the channel's provider would have.
 * @throws ServiceError `not_found` if the channel has no conversation
 */
export function toChannelPrincipal({
  tenant_id,
  channel_id,
  conversation_id,
  signature_scheme,
  paths,
}: StoredWebhookChannel): ChannelPrincipal {
  if (conversation_id === null) throw notFound();
  return {
    kind: "channel",
    tenantId: tenant_id,
    keyId: channel_id,
    conversationId: conversation_id,
    signatureScheme: signature_scheme,
    alertPaths: paths,
    // Neither tests nor replayed alerts are incidents.
    isRecorded: false,
    isPosted: false,
    expiresAt: null,
  };
}

/**
 * Repeats an accepted delivery: adds its alert as a new message or, for an event of an incident, only updates the
 * incident's first message again.
 * @param requestId id of the request; a repeated one adds nothing
 * @throws ServiceError `not_found` for an unknown delivery, `conflict` for a refused one or one whose message was
 * deleted
 */
export async function replayAlert(
  channel: StoredWebhookChannel,
  fingerprint: string,
  requestId: string,
): Promise<{ alert_id: string; message_id: string }> {
  const principal = toChannelPrincipal(channel);
  const delivery = requireFound(await findDelivery(principal, channel.channel_id, fingerprint));
  const { alert_id, message_id, provider, severity, incident } = delivery;
  if (alert_id === null || message_id === null || provider === null || severity === null) {
    throw new ServiceError("conflict", "A refused delivery cannot be replayed, because it became no alert.");
  }
  const [conversation, original] = await Promise.all([
    getConversation(principal, principal.conversationId),
    findMessage(principal, principal.conversationId, message_id),
  ]);
  if (!original?.alert) throw new ServiceError("conflict", "The message of this delivery was deleted.");
  const alert = original.alert as unknown as Alert;
  if (incident !== null) {
    const rootId = await findIncidentMessageId(principal, channel.channel_id, incident);
    if (rootId !== null) await updateIncidentMessage(principal, principal.conversationId, rootId, alert);
    return { alert_id, message_id };
  }
  const message = alertMessage(principal.conversationId, alert, null);
  const replayed = createHash("sha256").update(`replay\0${fingerprint}\0${requestId}`).digest("base64url");
  await recordDelivery(principal, channel.channel_id, {
    conversation,
    message,
    fingerprint: replayed,
    delivery: {
      alert_id,
      provider,
      severity,
      incident,
      is_test: delivery.is_test,
      ignored_fields: delivery.ignored_fields,
    },
    startsIncident: false,
  }).catch((error) => {
    if (!(error instanceof ConcurrentDeliveryError)) throw error;
  });
  // A repeated request finds the message of the first.
  const recorded = await findDelivery(principal, channel.channel_id, replayed);
  return { alert_id, message_id: recorded?.message_id ?? message.message_id };
}
