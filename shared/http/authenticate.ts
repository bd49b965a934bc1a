import type { Auth } from "../api/define-route.ts";
import { isKeyBearer } from "../auth/credentials.ts";
import { hasForeignIssuer } from "../auth/jwt.ts";
import { verifyUser } from "../auth/verify-user.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { findIssuer } from "../tenancy/issuers/issuer-store.ts";
import { verifyApiKey, verifyEmbedKey } from "../tenancy/verify-api-key.ts";
import { verifyUserKey } from "../tenancy/verify-user-key.ts";
import type { Principal, PrincipalByAuth, RequestContext } from "./request-context.ts";
import type { Step } from "./steps.ts";

/** Kinds of credentials that streaming routes accept. */
type VerifiedAuth = Exclude<Auth, "webhook-signature" | "slack-signature" | "teams-token" | "deployment-key">;

/** Verifiers of credentials for functions behind function URLs, which have no Lambda authorizer. */
const verifiers: { readonly [A in VerifiedAuth]: (context: RequestContext) => Promise<PrincipalByAuth[A]> } = {
  jwt: async ({ http }) => {
    const user = await verifyUser(http.headers, findIssuer);
    return user.kind === "user" ? user : verifyUserKey(http.headers, user.claims);
  },
  "api-key": ({ http }) => verifyApiKey(http.headers),
  "embed-key": ({ http }) => verifyEmbedKey(http.headers),
  none: async () => null,
};

/**
 * Verifies the caller's credential in functions without a Lambda authorizer.
 * @throws ServiceError `unauthorized`; `rate_limited` after too many invalid credentials from one address
 */
export const authenticate: Step = async (context) => {
  const { contract, http } = context;
  const verify = () => verifiers[contract.auth as VerifiedAuth](context);
  const readsTable = contract.auth !== "jwt" || isKeyBearer(http.headers) || hasForeignIssuer(http.headers);
  const options = { readsTable, headers: http.headers };
  context.principal = await verifyLimited<Principal>(http.address, verify, options);
};
