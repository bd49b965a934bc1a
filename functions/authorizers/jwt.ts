import { verifyUser } from "#shared/auth/verify-user.ts";
import { authorizer } from "#shared/http/authorizer.ts";

export const handler = authorizer(verifyUser);
