import { authorizer } from "#shared/auth/authorizer.ts";
import { verifyUser } from "#shared/auth/verify-user.ts";

export const handler = authorizer(verifyUser);
