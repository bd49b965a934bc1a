import { isKeyBearer } from "#shared/auth/credentials.ts";
import { verifyUser } from "#shared/auth/verify-user.ts";
import { authorizer } from "#shared/http/authorizer.ts";
import { verifyUserKey } from "#shared/tenancy/verify-user-key.ts";

export const handler = authorizer(
  async (headers) => {
    const user = await verifyUser(headers);
    // API Gateway caches the result. A refusal of a key stays true; the function verifies an accepted key for each request.
    if (user.kind === "key-bearer") await verifyUserKey(headers, user.claims);
    return user;
  },
  { readsTable: isKeyBearer },
);
