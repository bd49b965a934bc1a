import { createHmac, timingSafeEqual } from "node:crypto";
import { appSecret } from "../auth/app-secret.ts";
import { deriveWebhookSecret } from "../auth/credentials.ts";
import { decrypt } from "../auth/encryption.ts";
import type { ChannelPrincipal } from "../auth/principal.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { findChannel } from "./webhook-store.ts";

/** How far a timestamp may lie from our clock, in milliseconds. */
const window = 300_000;

/** Signatures a request bears: ours, or those of PagerDuty, which signs with each of its secrets. */
function signaturesOf(headers: RequestHeaders): string[] {
  const own = headers["x-webhook-signature"];
  const theirs = headers["x-pagerduty-signature"]?.split(",").map((signature) => signature.trim().replace(/^v1=/, ""));
  return [...(own ? [own.trim()] : []), ...(theirs ?? [])].filter(Boolean).slice(0, 10);
}

/**
 * What can be refused without knowing the channel: a request without any signature, or too old.
 * @throws ServiceError `unauthorized`
 */
export async function checkSignaturePresent(headers: RequestHeaders): Promise<void> {
  if (signaturesOf(headers).length === 0) {
    throw new ServiceError("unauthorized", "Sign the body and send the signature in X-Webhook-Signature.");
  }
  const timestamp = headers["x-webhook-timestamp"];
  if (timestamp === undefined) return;
  // Written so that what is no number is refused as well.
  if (!(Math.abs(Number(timestamp) - now()) <= window)) {
    throw new ServiceError(
      "unauthorized",
      "X-Webhook-Timestamp must be the time in milliseconds since 1970, at most five minutes away from now.",
    );
  }
}

/** Whether one of the signatures is the HMAC-SHA256 of the body, compared in constant time. */
function isSigned(body: Buffer, secret: string, signatures: readonly string[]): boolean {
  const expected = createHmac("sha256", secret).update(body).digest();
  return signatures.some((signature) => {
    const given = /^[0-9a-f]{64}$/i.test(signature) ? Buffer.from(signature, "hex") : null;
    return given !== null && timingSafeEqual(given, expected);
  });
}

/**
 * Which channel a delivery comes from, verified by its signature over the raw body (RFC 2104).
 * @throws ServiceError `unauthorized` for a missing or wrong signature or an old timestamp, `not_found` for a channel
 *   that is not registered or whose conversation is gone
 */
export async function verifyWebhook(
  headers: RequestHeaders,
  channelId: string,
  body: Buffer,
): Promise<ChannelPrincipal> {
  await checkSignaturePresent(headers);
  const channel = await findChannel(channelId);
  if (!channel || channel.conversation_id === null) throw notFound();
  const { tenant_id, registration_id, conversation_id, sealed_secret } = channel;
  const own = deriveWebhookSecret(appSecret(), { tenantId: tenant_id, registrationId: registration_id });
  const secrets = sealed_secret === null ? [own] : [own, decrypt(appSecret(), registration_id, sealed_secret)];
  const signatures = signaturesOf(headers);
  // Every secret is tried, so that the time taken tells nothing of which one fits.
  const fits = secrets.map((secret) => isSigned(body, secret, signatures));
  if (!fits.includes(true)) throw new ServiceError("unauthorized", "The signature does not fit the body.");
  return { kind: "channel", tenantId: tenant_id, keyId: channelId, conversationId: conversation_id, expiresAt: null };
}
