import { authorizer } from "#shared/http/authorizer.ts";
import { nameDenial } from "#shared/openai/messages/anthropic-error.ts";
import { verifyApiKey } from "#shared/tenancy/verify-api-key.ts";

export const handler = authorizer(verifyApiKey, { readsTable: () => true, nameDenial });
