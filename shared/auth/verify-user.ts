import { env } from "../lib/env.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { verifyJwt } from "./jwt.ts";
import { getLocalUser } from "./local-identity.ts";
import type { UserPrincipal } from "./principal.ts";

/**
 * Authenticates the user of a request to `/v1` with the deployment's `AUTH_PROVIDER`.
 * @throws ServiceError `unauthorized` for a missing or invalid credential, `unavailable` if keys cannot be fetched
 */
export async function verifyUser(headers: RequestHeaders): Promise<UserPrincipal> {
  const { AUTH_PROVIDER } = env("AUTH_PROVIDER");
  return AUTH_PROVIDER === "local" ? getLocalUser(headers) : verifyJwt(headers.authorization);
}
