import { revokeEmbedKey } from "#shared/api/tenancy/embed-keys.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as embedKeys from "#shared/tenancy/embed-key-store.ts";

export const handler = endpoint(revokeEmbedKey, ({ principal, params }) =>
  embedKeys.revokeEmbedKey(principal, params.id),
);
