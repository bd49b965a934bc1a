import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { requireSecretOf, verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { deriveWebhookSecret, hashCredential } from "../auth/credentials.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import { toStandardSecret } from "../channels/signatures.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import type { StoredEndpoint } from "./endpoint-store.ts";

/** Derives a secret in the form of Standard Webhooks: `whsec_` and 32 bytes in Base64. */
const deriveEndpointSecret = (appSecret: string, tenantId: string, id: string, version: number | string): string =>
  toStandardSecret(deriveWebhookSecret(appSecret, { tenantId, registrationId: `event-endpoint#${id}#${version}` }));

const bytesOf = (key: string) => Buffer.from(key.slice(key.indexOf("_") + 1), "base64");

/** Beginning of a private key of Ed25519 in PKCS #8, before its 32 bytes (RFC 8410). */
const PRIVATE_KEY_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

const toPrivateKey = (key: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_PREFIX, bytesOf(key)]), format: "der", type: "pkcs8" });

/** Returns the public key of a private one in the form of Standard Webhooks: `whpk_` and 32 bytes in Base64. */
function toPublicKey(key: string): string {
  const der = createPublicKey(toPrivateKey(key)).export({ format: "der", type: "spki" });
  return `whpk_${der.subarray(-32).toString("base64")}`;
}

/**
 * Creates the secret and the private key of a version: encrypted for the endpoint, and the secret as hash for the recorded
 * response, which contains no secret.
 */
export async function createEndpointSecret({ tenantId }: TenantScope, id: string, version: number) {
  const { current } = await loadAppSecrets();
  const secret = deriveEndpointSecret(current, tenantId, id, version);
  const privateKey = deriveEndpointSecret(current, tenantId, id, `${version}#ed25519`).replace("whsec_", "whsk_");
  const sealed_secret = encrypt(current, id, `${secret} ${privateKey}`);
  return { sealed_secret, public_key: toPublicKey(privateKey), hash: hashCredential(secret) };
}

/** Returns the secret of a version for the response of the request that created it. */
export async function revealEndpointSecret(tenantId: string, id: string, version: number, hash: string) {
  const derive = (appSecret: string) => deriveEndpointSecret(appSecret, tenantId, id, version);
  return derive(requireSecretOf(await loadAppSecrets(), hash, derive));
}

/**
 * Returns the value of `webhook-signature`: a signature with the secret (`v1`) and one with the private key (`v1a`), during a
 * rotation two of each, separated by spaces. Endpoints of earlier releases have no private key.
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
    .flatMap((sealed) => {
      const keys = verifyWithAny(appSecrets, (appSecret) => decrypt(appSecret, id, sealed));
      if (!keys) throw new Error("secret of the event endpoint cannot be decrypted");
      const [secret = "", privateKey] = keys.split(" ");
      const content = `${event.id}.${event.timestamp}.${event.payload}`;
      const shared = `v1,${createHmac("sha256", bytesOf(secret)).update(content).digest("base64")}`;
      if (privateKey === undefined) return [shared];
      return [shared, `v1a,${sign(null, Buffer.from(content), toPrivateKey(privateKey)).toString("base64")}`];
    })
    .join(" ");
}
