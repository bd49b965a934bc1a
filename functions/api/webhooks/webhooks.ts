import {
  getWebhookInfoRoute,
  ingestAlertRoute,
  listWebhooksRoute,
  registerWebhookRoute,
  removeWebhookRoute,
  rotateWebhookSecretRoute,
  testWebhookRoute,
} from "#shared/api/webhooks/webhooks.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { hashCredential } from "#shared/auth/credentials.ts";
import { encrypt } from "#shared/auth/encryption.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint, secretEndpoint } from "#shared/http/endpoint.ts";
import { pageReply, type ReplyBody } from "#shared/http/reply.ts";
import { now, timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { newId } from "#shared/lib/ids.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import { channelSecret, deriveChannelSecretAgain } from "#shared/webhooks/channel-secrets.ts";
import { ingestAlert } from "#shared/webhooks/ingest-alert.ts";
import { signatureInstructions } from "#shared/webhooks/signatures.ts";
import { addTestAlert } from "#shared/webhooks/test-alert.ts";
import { toWebhookChannel, webhookPath } from "#shared/webhooks/webhook-channel.ts";
import {
  getWebhookChannel,
  listWebhookChannels,
  registrationWrites,
  removeWebhookChannel,
  rotationWrites,
} from "#shared/webhooks/webhook-channel-store.ts";
import { webhookCredential } from "#shared/webhooks/webhook-credential.ts";

export const getWebhookInfoHandler = endpoint(getWebhookInfoRoute, async ({ principal, params, baseUrl }) =>
  toWebhookChannel(await getWebhookChannel(principal, params.channel_id), baseUrl),
);

export const ingestAlertHandler = endpoint(
  ingestAlertRoute,
  async ({ principal, body, headers, rawBody, requestId }) => {
    const { duplicate, ...result } = await ingestAlert(principal, { payload: body, headers, rawBody });
    if (duplicate) countMetric("duplicates");
    return {
      status: "success" as const,
      message: duplicate ? "This alert was already received." : "The alert was added to its conversation.",
      ...result,
      ignored_fields: [...result.ignored_fields],
      trace_id: requestId,
    };
  },
  webhookCredential,
);

export const listWebhooksHandler = endpoint(listWebhooksRoute, async ({ principal, query, baseUrl }) => {
  const { entries, next } = await listWebhookChannels(principal, query);
  const webhooks = entries.map((channel) => toWebhookChannel(channel, baseUrl));
  return pageReply("webhooks", { entries: webhooks, next }, query.limit);
});

type Registration = ReplyBody<typeof registerWebhookRoute>;

export const registerWebhookHandler = secretEndpoint(
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

export const removeWebhookHandler = endpoint(removeWebhookRoute, ({ principal, params }) =>
  removeWebhookChannel(principal, params.channel_id),
);

export const rotateWebhookSecretHandler = secretEndpoint(
  rotateWebhookSecretRoute,
  async ({ principal, params, body, commit }) => {
    const channel = await getWebhookChannel(principal, params.channel_id);
    const { channel_id, tenant_id, registration_id, signature_scheme, secret_version } = channel;
    const { provider_secret } = body;
    if (signature_scheme === "sns") throw new ServiceError("conflict", "A channel of the scheme sns has no secret.");
    const overlapSeconds = body.overlap_hours * 3_600;
    const { current } = await loadAppSecrets();
    const nextVersion = secret_version + 1;
    const stored = {
      ...{ channel_id, tenant_id, registration_id, signature_scheme },
      // Null if the provider's secret is replaced, which the caller knows.
      secret_version: provider_secret === undefined ? nextVersion : null,
      hash: hashCredential(channelSecret(current, channel, nextVersion)),
      previous_secret_valid_until: timestamp(now() + overlapSeconds * 1_000),
    };
    const sealedSecret = provider_secret === undefined ? null : encrypt(current, registration_id, provider_secret);
    return commit(stored, ...rotationWrites(principal, channel, overlapSeconds, sealedSecret));
  },
  async (stored): Promise<ReplyBody<typeof rotateWebhookSecretRoute>> => ({
    channel_id: stored.channel_id,
    secret: stored.secret_version === null ? "" : await deriveChannelSecretAgain(stored, stored.secret_version),
    signature_scheme: stored.signature_scheme,
    previous_secret_valid_until: stored.previous_secret_valid_until,
  }),
);

export const testWebhookHandler = endpoint(testWebhookRoute, async ({ principal, params, operationId }) =>
  addTestAlert(await getWebhookChannel(principal, params.channel_id), operationId),
);
