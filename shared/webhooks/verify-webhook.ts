import { loadAppSecrets } from "../auth/app-secret.ts";
import type { ChannelPrincipal } from "../auth/principal.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { channelSecrets } from "./channel-secrets.ts";
import { recordRefusal } from "./refusal-log.ts";
import { findHeaderFault, type SignatureFault, type SignedRequest, signatureVerifiers } from "./signatures.ts";
import { verifySnsMessage } from "./sns-signature.ts";
import { findWebhookChannel, type StoredWebhookChannel } from "./webhook-channel-store.ts";

const snsFault: SignatureFault = {
  reason: "invalid_signature",
  message: "The body is not a message that Amazon SNS signed for the channel's topic.",
};

async function findFault(request: SignedRequest, channel: StoredWebhookChannel): Promise<SignatureFault | null> {
  const { signature_scheme, topic_arn } = channel;
  if (signature_scheme !== "sns") {
    return signatureVerifiers[signature_scheme](request, channelSecrets((await loadAppSecrets()).all, channel));
  }
  return (await verifySnsMessage(request.rawBody, topic_arn ?? "")) ? null : snsFault;
}

/**
 * Verifies a delivery by the signature scheme of its channel. A refused delivery is added to the channel's log.
 * @returns the channel as principal
 * @throws ServiceError `unauthorized` for a missing or invalid signature or an old timestamp, `not_found` for a channel
 * that is not registered or whose conversation was deleted
 */
export async function verifyWebhook(request: SignedRequest, channelId: string): Promise<ChannelPrincipal> {
  const headerFault = findHeaderFault(request.headers);
  const channel = await findWebhookChannel(channelId);
  if (!channel || channel.conversation_id === null) {
    throw headerFault ? new ServiceError("unauthorized", headerFault.message) : notFound();
  }
  const { tenant_id, conversation_id, signature_scheme, paths } = channel;
  const fault = headerFault?.reason === "old_timestamp" ? headerFault : await findFault(request, channel);
  if (fault) {
    await recordRefusal({ tenantId: tenant_id }, channelId, { reason: fault.reason, detail: fault.message });
    throw new ServiceError("unauthorized", fault.message);
  }
  return {
    kind: "channel",
    tenantId: tenant_id,
    keyId: channelId,
    conversationId: conversation_id,
    signatureScheme: signature_scheme,
    alertPaths: paths,
    isRecorded: true,
    isPosted: channel.slack !== null || channel.teams !== null,
    expiresAt: null,
  };
}
