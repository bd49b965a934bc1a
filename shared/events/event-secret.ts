import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { requireSecretOf, verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { deriveWebhookSecret, hashCredential } from "../auth/credentials.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { toStandardSecret } from "../webhooks/signatures.ts";
import type { StoredEventEndpoint } from "./endpoint-store.ts";

/** Derives a secret in the form of Standard Webhooks: `whsec_` and 32 bytes in Base64. */
const deriveEndpointSecret = (appSecret: string, tenantId: string, id: string, version: number | string): string =>
  toStandardSecret(deriveWebhookSecret(appSecret, { tenantId, registrationId: `event-endpoint#${id}#${version}` }));

const bytesOf = (key: string) => Buffer.from(key.slice(key.indexOf("_") + 1), "base64");

/** Bytes before the 32 key bytes in the PKCS #8 encoding of an Ed25519 private key (RFC 8410). */
const PRIVATE_KEY_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

const toPrivateKey = (key: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_PREFIX, bytesOf(key)]), format: "der", type: "pkcs8" });

/** Returns the public key for a private key, in the form of Standard Webhooks: `whpk_` and 32 bytes in Base64. */
function toPublicKey(key: string): string {
  const der = createPublicKey(toPrivateKey(key)).export({ format: "der", type: "spki" });
  return `whpk_${der.subarray(-32).toString("base64")}`;
}

/**
 * Derives secret and private key of a version.
 * @returns both encrypted, the public key, and a hash of the secret; the hash is stored with the response of the
 * request, from which `revealEndpointSecret` repeats it
 */
export async function createEndpointSecret({ tenantId }: TenantScope, id: string, version: number) {
  const { current } = await loadAppSecrets();
  const secret = deriveEndpointSecret(current, tenantId, id, version);
  const privateKey = deriveEndpointSecret(current, tenantId, id, `${version}#ed25519`).replace("whsec_", "whsk_");
  const sealed_secret = encrypt(current, id, `${secret} ${privateKey}`);
  return { sealed_secret, public_key: toPublicKey(privateKey), hash: hashCredential(secret) };
}

/**
 * Derives the secret of a version again, for the response of the request that created it.
 * @param hash identifies the deployment's secret from which it was derived
 */
export async function revealEndpointSecret(tenantId: string, id: string, version: number, hash: string) {
  const derive = (appSecret: string) => deriveEndpointSecret(appSecret, tenantId, id, version);
  return derive(requireSecretOf(await loadAppSecrets(), hash, derive));
}

/**
 * Returns the value of the header `webhook-signature`: signatures with the secret (`v1`) and the private key (`v1a`),
 * separated by spaces. During a rotation, there are two of each.
 * @param appSecrets secrets of the deployment with which the endpoint's secrets may be encrypted
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signEvent(
  appSecrets: readonly string[],
  endpoint: Pick<
    StoredEventEndpoint,
    "id" | "sealed_secret" | "previous_sealed_secret" | "previous_secret_valid_until"
  >,
  event: { readonly id: string; readonly timestamp: number; readonly payload: string },
): string {
  const { id, sealed_secret, previous_sealed_secret, previous_secret_valid_until } = endpoint;
  const isRotating = previous_secret_valid_until !== null && Date.parse(previous_secret_valid_until) > now();
  return [sealed_secret, isRotating ? previous_sealed_secret : null]
    .filter((sealed) => sealed !== null)
    .flatMap((sealed) => {
      const keys = verifyWithAny(appSecrets, (appSecret) => decrypt(appSecret, id, sealed));
      if (!keys) throw new Error("secret of the event endpoint cannot be decrypted");
      const [secret = "", privateKey = ""] = keys.split(" ");
      const content = `${event.id}.${event.timestamp}.${event.payload}`;
      const shared = `v1,${createHmac("sha256", bytesOf(secret)).update(content).digest("base64")}`;
      return [shared, `v1a,${sign(null, Buffer.from(content), toPrivateKey(privateKey)).toString("base64")}`];
    })
    .join(" ");
}
