import { jwtVerify } from "jose";
import { now, timestamp } from "../lib/clock.ts";

/** Longest time that a token of a website can be valid, in seconds. */
const MAX_LIFETIME_SECONDS = 86_400;

const MAX_CHARACTERS = 320;

/** Visitor as the token of a website names it. */
export interface SignedVisitor {
  /** The website's id of the visitor. */
  readonly sub: string;
  readonly email: string | null;
  /** End of the token's validity. */
  readonly until: string;
}

const isText = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= MAX_CHARACTERS && value.isWellFormed();

/**
 * Verifies the token with which a website names its visitor: a JWT (RFC 7519) with HS256, `sub`, optionally `email`, and `exp`
 * within a day.
 * @param keys keys of the website, of which one has signed it
 * @returns undefined for any other token
 */
export async function verifyVisitorToken(token: string, keys: readonly string[]): Promise<SignedVisitor | undefined> {
  for (const key of keys) {
    const verified = await jwtVerify(token, new TextEncoder().encode(key), {
      algorithms: ["HS256"],
      requiredClaims: ["sub", "exp"],
      currentDate: new Date(now()),
    }).catch(() => undefined);
    if (!verified) continue;
    const { sub, exp = 0, email = null } = verified.payload;
    const isValid =
      isText(sub) && (email === null || isText(email)) && exp * 1_000 - now() <= MAX_LIFETIME_SECONDS * 1_000;
    return isValid ? { sub, email, until: timestamp(exp * 1_000) } : undefined;
  }
  return undefined;
}
