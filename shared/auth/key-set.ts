import { createPublicKey, type JsonWebKey } from "node:crypto";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from "jose";
import * as v from "valibot";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { countMetric } from "../lib/metrics.ts";
import { fetchGuarded } from "../lib/outgoing/fetch-guarded.ts";

/** Maximum size of a key set; real key sets have a few kilobytes. */
const MAX_KEY_SET_BYTES = 262_144;

const FETCH_TIMEOUT_MS = 3_000;

/** Age at which a key set is fetched again. */
const CACHE_TTL_MS = 600_000;

/** Minimum time between two fetches for unknown key ids, and between a failed fetch and the next one. */
const COOLDOWN_MS = 5_000;

const MIN_RSA_BITS = 2_048;

/**
 * Returns true for a public key that jose can import, with at least 2,048 bits for RSA. Key types that are unknown here are
 * accepted and left to jose.
 */
function isWellFormed(entry: unknown): boolean {
  const { kty, d } = (entry ?? {}) as JWK;
  if (typeof kty !== "string" || d !== undefined) return false;
  if (!["RSA", "EC", "OKP"].includes(kty)) return true;
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key: entry as JsonWebKey, format: "jwk" });
    return kty !== "RSA" || (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  } catch {
    return false;
  }
}

/** Removes malformed keys from a key set, so that tokens with other keys are valid (RFC 7517, section 5). */
function dropMalformedKeys(text: string): string {
  const set = v.safeParse(v.pipe(v.string(), v.parseJson(), v.looseObject({ keys: v.array(v.unknown()) })), text);
  if (!set.success) return text;
  const keys = set.output.keys.filter(isWellFormed);
  const ignored = set.output.keys.length - keys.length;
  if (ignored > 0) log.warn("malformed keys in key set ignored", { ignored });
  return JSON.stringify({ ...set.output, keys });
}

/** Fetches a key set and rejects a response larger than `MAX_KEY_SET_BYTES`. */
const fetchBounded: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_KEY_SET_BYTES) throw new Error(`The key set has more than ${MAX_KEY_SET_BYTES} bytes`);
    chunks.push(chunk);
  }
  const text = dropMalformedKeys(Buffer.concat(chunks).toString());
  return new Response(text, { status: response.status, headers: response.headers });
};

/** Fetches the key set of a tenant's identity provider through the guard of outgoing requests. */
const fetchThroughGuard: FetchImplementation = async (url, { signal }) => {
  const response = await fetchGuarded(url, MAX_KEY_SET_BYTES, signal);
  return new Response(dropMalformedKeys(await response.text()), { status: response.status });
};

const Metadata = v.object({ jwks_uri: v.pipe(v.string(), v.url()) });
const EndorsedKeys = v.object({ keys: v.array(v.looseObject({ endorsements: v.optional(v.array(v.string()), []) })) });

/**
 * Fetches the OpenID metadata of the Bot Framework and then the keys at its `jwks_uri`. Returns only keys that are
 * endorsed for `channel`, a Bot Framework channel such as `msteams`; keys without the list `endorsements` are dropped.
 */
const fetchEndorsed =
  (channel: string): FetchImplementation =>
  async (url, options) => {
    const metadata = await fetchBounded(url, options);
    const { jwks_uri } = v.parse(Metadata, await metadata.json());
    const response = await fetchBounded(jwks_uri, options);
    const { keys } = v.parse(EndorsedKeys, await response.json());
    return Response.json({ keys: keys.filter(({ endorsements }) => endorsements.includes(channel)) });
  };

/** Reports whether an error means that the key set could not be fetched, as opposed to an invalid token. */
export function isKeySetOutage(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout) return true;
  const isTokenError =
    error instanceof errors.JOSEError && error.code !== "ERR_JOSE_GENERIC" && error.code !== "ERR_JWKS_INVALID";
  return !isTokenError;
}

/**
 * Returns the keys at a URL. While the URL cannot be reached, the keys that were fetched last stay valid for `staleMs`,
 * so that an outage of the identity provider does not lock out users.
 * @see https://www.rfc-editor.org/rfc/rfc7517 (JSON Web Key)
 */
export const remoteKeySet = (url: string, staleMs: number): JWTVerifyGetKey => openKeySet(url, staleMs, fetchBounded);

/**
 * Returns the keys at a URL that an administrator of a tenant chose. Failed fetches raise no alarm, because they concern only
 * this tenant, and each is followed by a pause.
 */
export const guardedKeySet = (url: string, staleMs: number): JWTVerifyGetKey =>
  openKeySet(url, staleMs, fetchThroughGuard);

/**
 * Returns the keys that the OpenID metadata of a service names, limited to those endorsed for a channel. Failed fetches raise
 * no alarm.
 */
export const endorsedKeySet = (metadataUrl: string, staleMs: number, channel: string): JWTVerifyGetKey =>
  openKeySet(metadataUrl, staleMs, fetchEndorsed(channel));

function openKeySet(url: string, staleMs: number, fetchKeys: FetchImplementation): JWTVerifyGetKey {
  const isOfDeployment = fetchKeys === fetchBounded;
  const remote = createRemoteJWKSet(new URL(url), {
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: CACHE_TTL_MS,
    timeoutDuration: FETCH_TIMEOUT_MS,
    [customFetch]: fetchKeys,
  });
  let lastKeys: { readonly jwks: JSONWebKeySet; readonly usedAt: number } | undefined;
  let outage: { readonly error: unknown; readonly startedAt: number } | undefined;

  return async (header, token) => {
    const validKeys = lastKeys && now() - lastKeys.usedAt <= staleMs ? lastKeys.jwks : null;
    try {
      // jose has no cooldown after failures: every unknown key id would cause a fetch during an outage.
      if (outage && (validKeys || !isOfDeployment) && now() - outage.startedAt < COOLDOWN_MS) throw outage.error;
      const key = await remote(header, token);
      outage = undefined;
      const jwks = remote.jwks();
      if (jwks) lastKeys = { jwks, usedAt: now() };
      return key;
    } catch (error) {
      if (!isKeySetOutage(error)) throw error;
      if (error !== outage?.error) {
        outage = { error, startedAt: now() };
        if (isOfDeployment) countMetric("key_set_unavailable");
        log.warn("key set unavailable", { error, has_valid_keys: validKeys !== null });
      }
      if (!validKeys) throw error;
      // The identity provider may have added this key during the outage, so the request fails as an outage and not as
      // an invalid token.
      return createLocalJWKSet(validKeys)(header, token).catch(() => {
        throw error;
      });
    }
  };
}
