import { listEmbedKeysRoute } from "#shared/api/tenancy/embed-keys.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { listEmbedKeys } from "#shared/tenancy/embed-key-store.ts";

export const handler = endpoint(listEmbedKeysRoute, async ({ principal }) => ({
  keys: await listEmbedKeys(principal),
}));
