import { listApiKeys } from "#shared/api/api-keys.ts";
import * as apiKeys from "#shared/data/api-key-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listApiKeys, async ({ principal }) => ({
  keys: await apiKeys.listApiKeys(principal),
}));
