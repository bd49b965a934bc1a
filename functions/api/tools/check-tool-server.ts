import { checkToolServerRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { checkServer } from "#shared/tools/check-server.ts";
import { getToolServer, replaceToolServer, toToolServer } from "#shared/tools/server-store.ts";

export const handler = endpoint(checkToolServerRoute, async ({ principal, params }) => {
  const server = await getToolServer(principal, params.id);
  return toToolServer(await replaceToolServer(principal, server, await checkServer(principal, server)));
});
