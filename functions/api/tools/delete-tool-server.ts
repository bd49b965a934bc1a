import { deleteToolServerRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { revokeAllTokens } from "#shared/tools/oauth/revoke-tokens.ts";
import { deleteToolServer, getToolServer } from "#shared/tools/server-store.ts";

export const handler = endpoint(deleteToolServerRoute, async ({ principal, params }) => {
  const server = await getToolServer(principal, params.id);
  await deleteToolServer(principal, params.id);
  await revokeAllTokens(principal, server);
});
