import { revokeApiKeyRoute } from "#shared/api/tenancy/api-keys.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { revokeApiKey } from "#shared/tenancy/api-key-store.ts";

export const handler = endpoint(revokeApiKeyRoute, ({ principal, params }) => revokeApiKey(principal, params.id));
