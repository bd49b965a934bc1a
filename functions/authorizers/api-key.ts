import { authorizer } from "#shared/http/authorizer.ts";
import { verifyApiKey } from "#shared/tenancy/verify-api-key.ts";

export const handler = authorizer(verifyApiKey, { readsTable: () => true });
