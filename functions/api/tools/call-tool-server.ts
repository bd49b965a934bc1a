import { callToolServerRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getToolServer } from "#shared/tools/server-store.ts";
import { tryTool } from "#shared/tools/try-tool.ts";

export const handler = endpoint(callToolServerRoute, async ({ principal, params, body }) =>
  tryTool(principal, await getToolServer(principal, params.id), body.tool, body.input),
);
