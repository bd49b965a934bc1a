import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { ACCESS_TOKEN_PREFIX, verifyAccessToken } from "./access-token.ts";
import { bearerKey, isKeyBearer } from "./credentials.ts";
import { type FindIssuer, verifyJwt, verifyTenantJwt } from "./jwt.ts";
import { getLocalUser } from "./local-identity.ts";
import type { KeyBearer, UserPrincipal } from "./principal.ts";

/**
 * Authenticates the user of a request to `/v1` with the deployment's `AUTH_PROVIDER` or a tenant's identity provider. Leaves
 * API keys to the function that handles the request, so that a revocation applies at once; of an access token, it checks only
 * signature and expiry.
 * @throws ServiceError `unauthorized` for a missing or invalid credential, `unavailable` if keys cannot be fetched
 */
export async function verifyUser(headers: RequestHeaders, findIssuer: FindIssuer): Promise<UserPrincipal | KeyBearer> {
  if (isKeyBearer(headers)) {
    const token = bearerKey(headers);
    const claims = token.startsWith(ACCESS_TOKEN_PREFIX) ? await verifyAccessToken(token) : null;
    return { kind: "key-bearer", tenantId: "", expiresAt: null, claims };
  }
  const { AUTH_PROVIDER } = env("AUTH_PROVIDER");
  if (AUTH_PROVIDER !== "local") return verifyJwt(headers.authorization, findIssuer);
  const ofTenant = await verifyTenantJwt(headers.authorization, findIssuer);
  // A wrong credential must fail as it does in a deployment, so that error paths can be tried.
  if (!ofTenant && headers.authorization !== undefined) {
    throw new ServiceError("unauthorized", "The credential is not valid. Without one, you act as the local user.");
  }
  return ofTenant ?? getLocalUser(headers);
}
