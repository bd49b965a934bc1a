import { listApiKeysRoute } from "#shared/api/tenancy/api-keys.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listApiKeys } from "#shared/tenancy/api-key-store.ts";

export const handler = endpoint(listApiKeysRoute, async ({ principal }) => ({
  keys: await listApiKeys(principal, await loadAppSecrets()),
}));
