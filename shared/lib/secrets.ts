import { type AwsClient, awsClient } from "./aws/aws-client.ts";
import { now } from "./clock.ts";
import { log } from "./log.ts";

/** Setting that names a secret of Secrets Manager instead of containing it: `secret:<name or ARN>` or `secret:<…>#<JSON field>`. */
const reference = /^secret:([^#]+)(?:#(.+))?$/;

/** Time after which a secret is read again, so that a rotation takes effect without a deployment. */
const MAX_AGE_MS = 5 * 60_000;

interface CachedSecret {
  readonly value: string;
  readonly readAt: number;
}

const cache = new Map<string, CachedSecret>();
let client: AwsClient | undefined;

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html */
async function readSecret(id: string, field: string | undefined): Promise<string> {
  client ??= awsClient({
    environmentName: "SECRETS_MANAGER",
    hostPrefix: "secretsmanager",
    signingName: "secretsmanager",
    timeoutMs: 3_000,
    maxAttempts: 3,
  });
  const { SecretString } = await client({
    path: "/",
    headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "secretsmanager.GetSecretValue" },
    body: JSON.stringify({ SecretId: id }),
  });
  const text = String(SecretString ?? "");
  return field === undefined ? text : String(JSON.parse(text)[field] ?? "");
}

/**
 * Returns a setting; if it names a secret, the value of the secret, at most five minutes old. If Secrets Manager fails, an older
 * value is returned.
 * @throws Error if the secret has never been read and cannot be read
 */
export async function loadSecret(setting: string): Promise<string> {
  const [, id, field] = reference.exec(setting) ?? [];
  if (id === undefined) return setting;
  const cached = cache.get(setting);
  if (cached && now() - cached.readAt < MAX_AGE_MS) return cached.value;
  try {
    const value = await readSecret(id, field);
    cache.set(setting, { value, readAt: now() });
    return value;
  } catch (error) {
    log.error("secret not read", { secret: id, error });
    if (cached) return cached.value;
    throw error;
  }
}

/** Returns a setting; if it names a secret, the value that `loadSecret` returned last, or an empty text. */
export const getLoadedSecret = (setting: string): string =>
  reference.test(setting) ? (cache.get(setting)?.value ?? "") : setting;

/** Makes the next `loadSecret` read all secrets again, because a provider has rejected one: it may have been rotated. */
export function expireSecrets(): void {
  for (const [setting, { value }] of cache) cache.set(setting, { value, readAt: Number.NEGATIVE_INFINITY });
}
