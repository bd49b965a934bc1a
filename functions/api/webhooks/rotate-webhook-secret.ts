import { rotateWebhookSecretRoute } from "#shared/api/webhooks/webhooks.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { hashCredential } from "#shared/auth/credentials.ts";
import { encrypt } from "#shared/auth/encryption.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import type { ReplyBody } from "#shared/http/reply.ts";
import { now, timestamp } from "#shared/lib/clock.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { channelSecret, deriveChannelSecretAgain } from "#shared/webhooks/channel-secrets.ts";
import { getWebhookChannel, rotationWrites } from "#shared/webhooks/webhook-channel-store.ts";

export const handler = secretEndpoint(
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
