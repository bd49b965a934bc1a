import { revokeApiKey } from "#shared/api/api-keys.ts";
import * as apiKeys from "#shared/data/api-key-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(revokeApiKey, ({ principal, params }) => apiKeys.revokeApiKey(principal, params.id));
