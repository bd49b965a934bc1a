import { createHmac } from "node:crypto";
import { requireSecretOf, verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { deriveWebhookSecret, hashCredential } from "../auth/credentials.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import { toStandardSecret } from "../channels/signatures.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import type { StoredEndpoint } from "./endpoint-store.ts";

/** Derives a secret in the form of Standard Webhooks: `whsec_` and 32 bytes in Base64. */
const deriveEndpointSecret = (appSecret: string, tenantId: string, id: string, version: number): string =>
  toStandardSecret(deriveWebhookSecret(appSecret, { tenantId, registrationId: `event-endpoint#${id}#${version}` }));

/** Creates the secret of a version: encrypted for the endpoint, and as hash for the recorded response, which contains no secret. */
export async function createEndpointSecret({ tenantId }: TenantScope, id: string, version: number) {
  const { current } = await loadAppSecrets();
  const secret = deriveEndpointSecret(current, tenantId, id, version);
  return { sealed_secret: encrypt(current, id, secret), hash: hashCredential(secret) };
}

/** Returns the secret of a version for the response of the request that created it. */
export async function revealEndpointSecret(tenantId: string, id: string, version: number, hash: string) {
  const derive = (appSecret: string) => deriveEndpointSecret(appSecret, tenantId, id, version);
  return derive(requireSecretOf(await loadAppSecrets(), hash, derive));
}

/**
 * Returns the value of `webhook-signature`: one signature, or during a rotation two, separated by a space.
 * @param appSecrets secrets of the deployment with which the secrets of the endpoint may be encrypted
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signEvent(
  appSecrets: readonly string[],
  endpoint: Pick<StoredEndpoint, "id" | "sealed_secret" | "previous_sealed_secret" | "previous_secret_valid_until">,
  event: { readonly id: string; readonly timestamp: number; readonly payload: string },
): string {
  const { id, sealed_secret, previous_sealed_secret, previous_secret_valid_until } = endpoint;
  const isRotating = previous_secret_valid_until !== null && Date.parse(previous_secret_valid_until) > now();
  return [sealed_secret, isRotating ? previous_sealed_secret : null]
    .filter((sealed) => sealed !== null)
    .map((sealed) => {
      const secret = verifyWithAny(appSecrets, (appSecret) => decrypt(appSecret, id, sealed));
      if (!secret) throw new Error("secret of the event endpoint cannot be decrypted");
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const content = `${event.id}.${event.timestamp}.${event.payload}`;
      return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
    })
    .join(" ");
}
