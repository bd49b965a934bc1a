import { updateToolServerRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { changeToolServer } from "#shared/tools/change-server.ts";
import { getToolServer, replaceToolServer, toToolServer } from "#shared/tools/server-store.ts";

export const handler = endpoint(updateToolServerRoute, async ({ principal, params, body, baseUrl }) => {
  const server = await getToolServer(principal, params.id);
  return toToolServer(
    await replaceToolServer(principal, server, await changeToolServer({ ...principal, baseUrl }, server, body)),
  );
});
