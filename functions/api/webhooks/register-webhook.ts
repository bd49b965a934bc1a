import { registerWebhookRoute } from "#shared/api/webhooks/webhooks.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { hashCredential } from "#shared/auth/credentials.ts";
import { encrypt } from "#shared/auth/encryption.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import type { ReplyBody } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";
import { channelSecret, deriveChannelSecretAgain } from "#shared/webhooks/channel-secrets.ts";
import { signatureInstructions } from "#shared/webhooks/signatures.ts";
import { webhookPath } from "#shared/webhooks/webhook-channel.ts";
import { registrationWrites } from "#shared/webhooks/webhook-channel-store.ts";

type Registration = ReplyBody<typeof registerWebhookRoute>;

export const handler = secretEndpoint(
  registerWebhookRoute,
  async ({ principal, body, commit }) => {
    const { channel_id, conversation_id, provider_secret, signature_scheme, topic_arn = null, paths = null } = body;
    await authorizeConversation(principal, conversation_id, "WRITE");
    const { current } = await loadAppSecrets();
    const registration_id = newId();
    const fields = { channel_id, conversation_id, tenant_id: principal.tenantId, registration_id, signature_scheme };
    const stored = { ...fields, hash: hashCredential(channelSecret(current, fields, 1)) };
    const channel = {
      ...fields,
      topic_arn,
      paths,
      sealed_secret: provider_secret ? encrypt(current, registration_id, provider_secret) : null,
      previous_sealed_secret: null,
      previous_sealed_until: null,
      secret_version: 1,
      previous_secret_until: null,
      investigate: null,
      write_back: null,
      sealed_write_back_secret: null,
      slack: null,
      teams: null,
      created_at: timestamp(),
    };
    return commit(stored, ...registrationWrites(principal, channel));
  },
  async (stored, _tenant, { baseUrl }): Promise<Registration> => {
    const { channel_id, conversation_id, signature_scheme } = stored;
    const { header, text } = signatureInstructions[signature_scheme];
    return {
      channel_id,
      conversation_id,
      webhook_url: webhookPath(channel_id),
      url: `${baseUrl}${webhookPath(channel_id)}`,
      secret: signature_scheme === "sns" ? "" : await deriveChannelSecretAgain(stored, 1),
      signature_header: header,
      signature_scheme,
      message: signature_scheme === "sns" ? text : `Store the secret: it is not shown again. ${text}`,
    };
  },
);
