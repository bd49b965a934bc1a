import * as v from "valibot";
import { MAX_SECRET_AGE_MS } from "../lib/secrets.ts";
import { hashCredential } from "./credentials.ts";

/**
 * Time for which a new secret only verifies. Until then, every running function has read it, so that each of them accepts what
 * another one has signed.
 */
export const ACTIVATION_DELAY_MS = 2 * MAX_SECRET_AGE_MS;

const Secret = v.pipe(v.string(), v.nonEmpty());

const RotatedSecret = v.object({
  current: Secret,
  /** Empty if it was removed. */
  previous: v.optional(v.string(), ""),
  /** Secrets before the previous one, newest first. The origin secret has none. */
  older: v.optional(v.array(Secret)),
});
/** Value of a secret after a rotation. Before the first one, the value is the current secret itself. */
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
  /** Secret for new values. */
  readonly current: string;
  /** Secrets that verify what lives for days at most, such as session ids. */
  readonly recent: readonly string[];
  /** Secrets that verify what others store, such as signing secrets of webhooks; newest first. */
  readonly all: readonly string[];
}

/** Returns the first result that is not null, with the secrets in their order. */
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
 * Finds the secret from which a credential was derived, so that it can be derived again.
 * @param hash stored hash of the credential; responses that were recorded before version 0.2.0 have none
 */
export function findSecretOf(
  { all }: AppSecrets,
  hash: string | undefined,
  derive: (secret: string) => string,
): string | undefined {
  return all.findLast((secret) => hash === undefined || hashCredential(derive(secret)) === hash);
}

/** @throws Error if the secret from which a credential was derived has been removed */
export function requireSecretOf(
  secrets: AppSecrets,
  hash: string | undefined,
  derive: (secret: string) => string,
): string {
  const secret = findSecretOf(secrets, hash, derive);
  if (secret === undefined) throw new Error("The secret of the credential has been removed");
  return secret;
}
