import { authorizer } from "#shared/http/authorizer.ts";
import { verifyEmbedKey } from "#shared/tenancy/verify-api-key.ts";

export const handler = authorizer(verifyEmbedKey, { readsTable: () => true });
