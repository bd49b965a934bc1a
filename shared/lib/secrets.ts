import { type AwsClient, awsClient } from "./aws/aws-client.ts";
import { now } from "./clock.ts";
import { log } from "./log.ts";

/** Setting that names a secret of Secrets Manager instead of containing it: `secret:<name or ARN>` or `secret:<…>#<JSON field>`. */
const reference = /^secret:([^#]+)(?:#(.+))?$/;

/** Age at which a value is no longer used, so that a rotation takes effect without a deployment. */
export const MAX_SECRET_AGE_MS = 5 * 60_000;

/** Age from which a request starts to read a secret again, without waiting for it. */
const REFRESH_AGE_MS = 4 * 60_000;

/** Time until the next attempt to read a secret that could not be read again. */
const RETRY_INTERVAL_MS = 60_000;

/** Value of a secret and the time at which it was stored. */
export interface SecretVersion {
  readonly value: string;
  /** Zero for a setting that names no secret. */
  readonly createdAtMs: number;
}

interface CachedSecret {
  readonly version: SecretVersion;
  readonly readAtMs: number;
}

const cache = new Map<string, CachedSecret>();
const reads = new Map<string, Promise<SecretVersion>>();
let client: AwsClient | undefined;

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html */
async function readSecret(id: string, field: string | undefined): Promise<SecretVersion> {
  client ??= awsClient({
    environmentName: "SECRETS_MANAGER",
    hostPrefix: "secretsmanager",
    signingName: "secretsmanager",
    timeoutMs: 3_000,
    maxAttempts: 3,
  });
  const { SecretString, CreatedDate } = await client({
    path: "/",
    headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "secretsmanager.GetSecretValue" },
    body: JSON.stringify({ SecretId: id }),
  });
  const text = String(SecretString ?? "");
  const value = field === undefined ? text : String(JSON.parse(text)[field] ?? "");
  return { value, createdAtMs: Number(CreatedDate ?? 0) * 1_000 };
}

/** Reads a secret into the cache. If Secrets Manager fails, an older value is used until the next attempt. */
async function refresh(setting: string, id: string, field: string | undefined): Promise<SecretVersion> {
  const cached = cache.get(setting);
  try {
    const version = await readSecret(id, field);
    cache.set(setting, { version, readAtMs: now() });
    return version;
  } catch (error) {
    log.error("secret not read", { secret: id, error });
    if (!cached) throw error;
    cache.set(setting, { ...cached, readAtMs: now() - REFRESH_AGE_MS + RETRY_INTERVAL_MS });
    return cached.version;
  } finally {
    reads.delete(setting);
  }
}

/**
 * Returns a setting; if it names a secret, the value of the secret, at most five minutes old. Requests do not wait while a value
 * is in use: it is read again in its last minute. If Secrets Manager fails, an older value is returned.
 * @throws Error if the secret has never been read and cannot be read
 */
export async function loadSecretVersion(setting: string): Promise<SecretVersion> {
  const [, id, field] = reference.exec(setting) ?? [];
  if (id === undefined) return { value: setting, createdAtMs: 0 };
  const cached = cache.get(setting);
  const ageMs = now() - (cached?.readAtMs ?? Number.NEGATIVE_INFINITY);
  if (cached && ageMs < REFRESH_AGE_MS) return cached.version;
  const read = reads.get(setting) ?? refresh(setting, id, field);
  reads.set(setting, read);
  return cached && ageMs < MAX_SECRET_AGE_MS ? cached.version : read;
}

/** Returns the value that `loadSecretVersion` returns. */
export async function loadSecret(setting: string): Promise<string> {
  return (await loadSecretVersion(setting)).value;
}

/** Returns a setting; if it names a secret, the value that `loadSecret` returned last, or an empty text. */
export const getLoadedSecret = (setting: string): string =>
  reference.test(setting) ? (cache.get(setting)?.version.value ?? "") : setting;

/** Makes the next `loadSecret` read all secrets again, because a provider has rejected one: it may have been rotated. */
export function expireSecrets(): void {
  for (const [setting, { version }] of cache) cache.set(setting, { version, readAtMs: Number.NEGATIVE_INFINITY });
}
