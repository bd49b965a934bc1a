import { hashCredential } from "./credentials.ts";

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
