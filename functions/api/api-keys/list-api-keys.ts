import { listApiKeys } from "#shared/api/tenancy/api-keys.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as apiKeys from "#shared/tenancy/api-key-store.ts";

export const handler = endpoint(listApiKeys, async ({ principal }) => ({
  keys: await apiKeys.listApiKeys(principal, await loadAppSecrets()),
}));
