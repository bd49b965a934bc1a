import { revokeEmbedKey } from "#shared/api/embed-keys.ts";
import * as embedKeys from "#shared/data/embed-key-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(revokeEmbedKey, ({ principal, params }) =>
  embedKeys.revokeEmbedKey(principal, params.id),
);
