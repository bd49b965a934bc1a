import { env } from "../lib/env.ts";
import { verifyJwt } from "./jwt.ts";
import { localUser } from "./local-identity.ts";
import type { UserPrincipal } from "./principal.ts";

/** Request headers by lower-case name. */
export type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Who a request to `/v1` comes from, by the deployment's `AUTH_PROVIDER`.
 * @throws ServiceError `unauthorized` for a missing or bad credential, `unavailable` while keys cannot be fetched
 */
export async function verifyUser(headers: Headers): Promise<UserPrincipal> {
  const { AUTH_PROVIDER } = env("AUTH_PROVIDER");
  return AUTH_PROVIDER === "local" ? localUser(headers) : verifyJwt(headers.authorization);
}
