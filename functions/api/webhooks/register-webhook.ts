import { registerWebhook, signatureHeader } from "#shared/api/channels/webhooks.ts";
import { appSecret } from "#shared/auth/app-secret.ts";
import { deriveWebhookSecret } from "#shared/auth/credentials.ts";
import { encrypt } from "#shared/auth/encryption.ts";
import { webhookUrl } from "#shared/channels/webhook-channel.ts";
import { registrationWrites } from "#shared/channels/webhook-store.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import type { ReplyBody } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";

type Registration = ReplyBody<typeof registerWebhook>;

export const handler = secretEndpoint(
  registerWebhook,
  async ({ principal, body: { channel_id, conversation_id, provider_secret }, commit }) => {
    await authorizeConversation(principal, conversation_id, "WRITE");
    const registration_id = newId();
    const sealed_secret = provider_secret ? encrypt(appSecret(), registration_id, provider_secret) : null;
    const channel = {
      channel_id,
      tenant_id: principal.tenantId,
      registration_id,
      conversation_id,
      sealed_secret,
      created_at: timestamp(),
    };
    return commit(
      { channel_id, conversation_id, tenantId: principal.tenantId, registration_id },
      ...registrationWrites(principal, channel),
    );
  },
  ({ channel_id, conversation_id, tenantId, registration_id }): Registration => ({
    channel_id,
    conversation_id,
    webhook_url: webhookUrl(channel_id),
    secret: deriveWebhookSecret(appSecret(), { tenantId, registrationId: registration_id }),
    signature_header: signatureHeader,
    message:
      "Store the secret: it is not shown again. Sign the raw body with HMAC-SHA256 and send the hex digest in the signature header.",
  }),
);
