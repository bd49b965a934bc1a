import { getToolServerRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getToolServer, toToolServer } from "#shared/tools/server-store.ts";

export const handler = endpoint(getToolServerRoute, async ({ principal, params }) =>
  toToolServer(await getToolServer(principal, params.id)),
);
