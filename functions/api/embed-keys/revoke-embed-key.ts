import { revokeEmbedKeyRoute } from "#shared/api/tenancy/embed-keys.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { revokeEmbedKey } from "#shared/tenancy/embed-key-store.ts";

export const handler = endpoint(revokeEmbedKeyRoute, ({ principal, params }) => revokeEmbedKey(principal, params.id));
