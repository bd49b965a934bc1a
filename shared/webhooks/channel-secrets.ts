import { requireSecretOf, verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { deriveWebhookSecret } from "../auth/credentials.ts";
import { decrypt } from "../auth/encryption.ts";
import { now } from "../lib/clock.ts";
import { toStandardSecret } from "./signatures.ts";
import type { StoredWebhookChannel } from "./webhook-channel-store.ts";

type SecretFields = Pick<StoredWebhookChannel, "tenant_id" | "registration_id" | "signature_scheme">;

/** Derives the secret of a channel in the form that its signature scheme needs. Each version has another secret. */
export function channelSecret(
  appSecret: string,
  { tenant_id, registration_id, signature_scheme }: SecretFields,
  version: number,
): string {
  const registrationId = version === 1 ? registration_id : `${registration_id}#${version}`;
  const secret = deriveWebhookSecret(appSecret, { tenantId: tenant_id, registrationId });
  return signature_scheme === "standard-webhooks" ? toStandardSecret(secret) : secret;
}

/**
 * Derives the secret of a channel again, to repeat the response to a registration or rotation.
 * @throws Error if the deployment's secret from which it was derived was removed
 */
export async function deriveChannelSecretAgain(
  { hash, ...channel }: SecretFields & { readonly hash: string },
  version: number,
): Promise<string> {
  const derive = (secret: string) => channelSecret(secret, channel, version);
  return derive(requireSecretOf(await loadAppSecrets(), hash, derive));
}

/**
 * Returns all secrets that a channel accepts: the derived one, the one that the provider generated, and during a
 * rotation the previous one of each.
 * @param appSecrets secrets of the deployment, from any of which the channel's secret may have been derived
 */
export function channelSecrets(appSecrets: readonly string[], channel: StoredWebhookChannel): string[] {
  const { registration_id, sealed_secret, previous_sealed_secret, secret_version } = channel;
  const isFuture = (second: number | null) => second !== null && second > now() / 1_000;
  const isRotating = isFuture(channel.previous_secret_until);
  const sealed = [sealed_secret, isFuture(channel.previous_sealed_until) ? previous_sealed_secret : null];
  const versions = [secret_version, ...(isRotating && secret_version > 1 ? [secret_version - 1] : [])];
  return [
    ...versions.flatMap((version) => appSecrets.map((secret) => channelSecret(secret, channel, version))),
    ...sealed
      .filter((each) => each !== null)
      .flatMap((each) => verifyWithAny(appSecrets, (secret) => decrypt(secret, registration_id, each)) ?? []),
  ];
}
