import { type AwsClient, awsClient } from "./aws/aws-client.ts";
import { now } from "./clock.ts";
import { log } from "./log.ts";

/** Setting that names a secret of Secrets Manager instead of containing it: `secret:<name or ARN>` or `secret:<…>#<JSON field>`. */
const reference = /^secret:([^#]+)(?:#(.+))?$/;

/** Age at which a value is no longer used, so that a rotation takes effect without a deployment. */
export const MAX_SECRET_AGE_MS = 5 * 60_000;

/** Age from which a request starts to read a secret again, without waiting for it. */
const REFRESH_AGE_MS = 4 * 60_000;

/** Pause after a failed refresh of a cached secret. */
const RETRY_INTERVAL_MS = 60_000;

/** Timeout of an attempt to read a secret, and the time after which all of its attempts have ended. */
const ATTEMPT_TIMEOUT_MS = 3_000;
const READ_TIMEOUT_MS = 10_000;

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

/** Read that other requests wait for, too. */
interface PendingRead {
  readonly startedAtMs: number;
  readonly version: Promise<SecretVersion>;
}

const cache = new Map<string, CachedSecret>();
const reads = new Map<string, PendingRead>();
let client: AwsClient | undefined;

/** Returns a field of a JSON secret. @throws Error without any part of the secret, because errors are logged */
function parseField(text: string, field: string): unknown {
  try {
    return JSON.parse(text)[field];
  } catch {
    throw new Error("The secret is not a JSON object");
  }
}

/**
 * @throws AwsError if the secret does not exist; Error if it is binary or has no such field
 * @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
async function readSecret(id: string, field: string | undefined): Promise<SecretVersion> {
  client ??= awsClient({
    environmentName: "SECRETS_MANAGER",
    hostPrefix: "secretsmanager",
    signingName: "secretsmanager",
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    maxAttempts: 3,
  });
  const { SecretString, CreatedDate } = await client({
    path: "/",
    headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "secretsmanager.GetSecretValue" },
    body: JSON.stringify({ SecretId: id }),
  });
  if (typeof SecretString !== "string") throw new Error("The secret contains no text");
  const value = field === undefined ? SecretString : parseField(SecretString, field);
  if (value === undefined || value === null) throw new Error(`The secret has no field "${field}"`);
  return { value: String(value), createdAtMs: Number(CreatedDate ?? 0) * 1_000 };
}

/** Reads a secret into the cache. If Secrets Manager fails, an older value is used until the next attempt. */
async function refresh(
  setting: string,
  id: string,
  field: string | undefined,
  startedAtMs: number,
): Promise<SecretVersion> {
  const cached = cache.get(setting);
  try {
    const version = await readSecret(id, field);
    // While Lambda suspends the function, a read can stay pending until another one has returned a newer value.
    if ((cache.get(setting)?.readAtMs ?? startedAtMs) <= startedAtMs) {
      cache.set(setting, { version, readAtMs: startedAtMs });
    }
    return version;
  } catch (error) {
    log.error("secret not read", { secret: id, error });
    if (!cached) throw error;
    if (cache.get(setting) === cached) {
      cache.set(setting, { ...cached, readAtMs: now() - REFRESH_AGE_MS + RETRY_INTERVAL_MS });
    }
    return cached.version;
  } finally {
    if (reads.get(setting)?.startedAtMs === startedAtMs) reads.delete(setting);
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
  const startedAtMs = now();
  const ageMs = startedAtMs - (cached?.readAtMs ?? Number.NEGATIVE_INFINITY);
  if (cached && ageMs < REFRESH_AGE_MS) return cached.version;
  let read = reads.get(setting);
  if (!read || startedAtMs - read.startedAtMs > READ_TIMEOUT_MS) {
    read = { startedAtMs, version: refresh(setting, id, field, startedAtMs) };
    reads.set(setting, read);
  }
  return cached && ageMs < MAX_SECRET_AGE_MS ? cached.version : read.version;
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
