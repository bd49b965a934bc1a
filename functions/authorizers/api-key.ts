import { authorizer } from "#shared/auth/authorizer.ts";
import { verifyApiKey } from "#shared/auth/keys.ts";

export const handler = authorizer(verifyApiKey);
