import { appSecret } from "../auth/app-secret.ts";
import type { ChannelPrincipal } from "../auth/principal.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { channelSecrets } from "./channel-secrets.ts";
import { findChannel } from "./channel-store.ts";
import { recordRefusal } from "./refusal-log.ts";
import { requireSignature, type SignedRequest, signatureVerifiers } from "./signatures.ts";
import { verifySnsMessage } from "./sns-signature.ts";

/**
 * Verifies a delivery by the signature scheme of its channel, and returns the channel as the caller.
 * @throws ServiceError `unauthorized` for a missing or invalid signature or an old timestamp, `not_found` for a channel
 *   that is not registered or whose conversation was deleted
 */
export async function verifyWebhook(request: SignedRequest, channelId: string): Promise<ChannelPrincipal> {
  requireSignature(request.headers);
  const channel = await findChannel(channelId);
  if (!channel || channel.conversation_id === null) throw notFound();
  const { tenant_id, conversation_id, signature_scheme } = channel;
  const isValid =
    signature_scheme === "sns"
      ? await verifySnsMessage(request.rawBody, channel.topic_arn ?? "")
      : signatureVerifiers[signature_scheme](request, channelSecrets(appSecret(), channel));
  if (!isValid) {
    await recordRefusal({ tenantId: tenant_id }, channelId, "invalid_signature");
    throw new ServiceError("unauthorized", "The signature does not match the body.");
  }
  return {
    kind: "channel",
    tenantId: tenant_id,
    keyId: channelId,
    conversationId: conversation_id,
    signatureScheme: signature_scheme,
    expiresAt: null,
  };
}
