import { revokeApiKey } from "#shared/api/tenancy/api-keys.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as apiKeys from "#shared/tenancy/api-key-store.ts";

export const handler = endpoint(revokeApiKey, ({ principal, params }) => apiKeys.revokeApiKey(principal, params.id));
