import { type AwsClient, awsClient } from "./aws/aws-client.ts";
import { now } from "./clock.ts";
import { log } from "./log.ts";

/** Setting that refers to a secret in Secrets Manager: `secret:<name or ARN>` or `secret:<…>#<JSON field>`. */
const reference = /^secret:([^#]+)(?:#(.+))?$/;

/** Maximum age of a cached secret, so that a rotation takes effect without a deployment. */
export const MAX_SECRET_AGE_MS = 5 * 60_000;

/** Age from which a request refreshes a cached secret in the background. */
const REFRESH_AGE_MS = 4 * 60_000;

/** Pause after a failed refresh of a cached secret. */
const RETRY_INTERVAL_MS = 60_000;

/** Minimum time between reads of a secret that a value which it does not contain causes. */
const RELOAD_INTERVAL_MS = 10_000;

/** Timeout of one attempt to read a secret; `READ_TIMEOUT_MS` covers all attempts. */
const ATTEMPT_TIMEOUT_MS = 3_000;
const READ_TIMEOUT_MS = 10_000;

/** Value of a secret and the time at which Secrets Manager created this version. */
interface SecretVersion {
  readonly value: string;
  /** Epoch milliseconds; 0 for a setting that contains its value and names no secret. */
  readonly createdAtMs: number;
}

interface CachedSecret {
  readonly version: SecretVersion;
  readonly readAtMs: number;
}

/** Read in progress, which concurrent requests share. */
interface PendingRead {
  readonly startedAtMs: number;
  readonly version: Promise<SecretVersion>;
}

const cache = new Map<string, CachedSecret>();
const reads = new Map<string, PendingRead>();
const reloads = new Map<string, PendingRead>();
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

/** Reads a secret into the cache. After a failure, the older value stays in use until the next attempt. */
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
 * Returns a setting, or the secret that it names, at most five minutes old. In the last of these minutes, the secret is
 * refreshed in the background while requests use the old value. If Secrets Manager fails, an older value is returned.
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

/**
 * Reads the secret that a setting names again, because a value has arrived that it does not contain and that can be its next
 * one. Within ten seconds, further calls get the same result, so that a flood of wrong values sends no request for each.
 */
export async function reloadSecretVersion(setting: string): Promise<SecretVersion> {
  const [, id, field] = reference.exec(setting) ?? [];
  if (id === undefined) return { value: setting, createdAtMs: 0 };
  const startedAtMs = now();
  let reload = reloads.get(setting);
  if (!reload || startedAtMs - reload.startedAtMs >= RELOAD_INTERVAL_MS) {
    reload = { startedAtMs, version: refresh(setting, id, field, startedAtMs) };
    reloads.set(setting, reload);
  }
  return reload.version;
}

export async function loadSecret(setting: string): Promise<string> {
  return (await loadSecretVersion(setting)).value;
}

/** Returns a setting, or the cached value of the secret that it names; empty if `loadSecret` has not read it yet. */
export const getLoadedSecret = (setting: string): string =>
  reference.test(setting) ? (cache.get(setting)?.version.value ?? "") : setting;

/**
 * Makes the next `loadSecret` of every secret read it again. Called when a provider rejects a key, which may have been
 * rotated.
 */
export function expireSecrets(): void {
  for (const [setting, { version }] of cache) cache.set(setting, { version, readAtMs: Number.NEGATIVE_INFINITY });
}
