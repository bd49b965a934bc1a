import { isKeyBearer } from "#shared/auth/credentials.ts";
import { hasForeignIssuer } from "#shared/auth/jwt.ts";
import { verifyUser } from "#shared/auth/verify-user.ts";
import { authorizer } from "#shared/http/authorizer.ts";
import { findIssuer } from "#shared/tenancy/issuers/issuer-store.ts";
import { verifyUserKey } from "#shared/tenancy/verify-user-key.ts";

export const handler = authorizer(
  async (headers) => {
    const user = await verifyUser(headers, findIssuer);
    // API Gateway caches the result. A refusal of a key stays true; the function verifies an accepted key for each request.
    if (user.kind === "key-bearer") await verifyUserKey(headers, user.claims);
    return user;
  },
  { readsTable: (headers) => isKeyBearer(headers) || hasForeignIssuer(headers) },
);
