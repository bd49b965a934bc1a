import * as v from "valibot";
import { MAX_SECRET_AGE_MS } from "../lib/secrets.ts";
import { hashCredential } from "./credentials.ts";

/**
 * Time after a rotation during which the new secret verifies but does not sign. Afterwards, every running function has read
 * it and accepts what another function signs with it.
 */
export const ACTIVATION_DELAY_MS = 2 * MAX_SECRET_AGE_MS;

const Secret = v.pipe(v.string(), v.nonEmpty());

const RotatedSecret = v.object({
  current: Secret,
  /** Empty if it was revoked. */
  previous: v.optional(v.string(), ""),
  /**
   * Secrets before `previous`, newest first. Only the app secret has them, because it verifies credentials that others store.
   */
  older: v.optional(v.array(Secret)),
});
/** Content of a secret that was rotated. A secret that was never rotated contains only its current value, without JSON. */
export type RotatedSecret = v.InferOutput<typeof RotatedSecret>;

/** @throws Error without any part of the value, because errors are logged */
export function parseRotatedSecret(value: string): RotatedSecret {
  if (value !== "" && !value.startsWith("{")) return { current: value, previous: "" };
  try {
    return v.parse(RotatedSecret, JSON.parse(value));
  } catch {
    throw new Error("The value of the secret is empty or malformed");
  }
}

/** Secrets of the deployment, from which credentials and tokens are derived (decision 0025). They are not stored in the table. */
export interface AppSecrets {
  /** Secret that signs and encrypts new values. */
  readonly current: string;
  /** Secrets that verify values with a lifetime of at most days, such as session ids. */
  readonly recent: readonly string[];
  /** Secrets that verify values of any age that callers store, such as signing secrets of webhooks; newest first. */
  readonly all: readonly string[];
}

/** Calls `verify` with one secret after the other and returns the first result that is not null, or null. */
export function verifyWithAny<Result>(
  secrets: readonly string[],
  verify: (secret: string) => Result | null,
): Result | null {
  for (const secret of secrets) {
    const result = verify(secret);
    if (result !== null) return result;
  }
  return null;
}

/**
 * Finds the secret from which a credential was derived, so that the credential can be derived again; undefined if the secret
 * was removed.
 * @param hash stored hash of the credential; undefined for responses that were recorded before version 0.2.0, which derive
 * from the oldest secret
 */
export function findSecretOf(
  { all }: AppSecrets,
  hash: string | undefined,
  derive: (secret: string) => string,
): string | undefined {
  return all.findLast((secret) => hash === undefined || hashCredential(derive(secret)) === hash);
}

/**
 * Returns the secret from which a credential was derived.
 * @throws Error if the secret has been removed
 */
export function requireSecretOf(
  secrets: AppSecrets,
  hash: string | undefined,
  derive: (secret: string) => string,
): string {
  const secret = findSecretOf(secrets, hash, derive);
  if (secret === undefined) throw new Error("The secret of the credential has been removed");
  return secret;
}
