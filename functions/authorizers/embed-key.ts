import { authorizer } from "#shared/auth/authorizer.ts";
import { verifyEmbedKey } from "#shared/auth/keys.ts";

export const handler = authorizer(verifyEmbedKey, { crossOrigin: true });
