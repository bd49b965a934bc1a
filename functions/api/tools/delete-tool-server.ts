import { deleteToolServer } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { revokeAllTokens } from "#shared/tools/oauth/revoke-tokens.ts";
import * as servers from "#shared/tools/server-store.ts";

export const handler = endpoint(deleteToolServer, async ({ principal, params }) => {
  const server = await servers.getToolServer(principal, params.id);
  await servers.deleteToolServer(principal, params.id);
  await revokeAllTokens(principal, server);
});
