import { pathOf } from "#shared/api/define-route.ts";
import { createToolServerRoute, getToolServerRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { newToolServer } from "#shared/tools/change-server.ts";
import { newToolServerWrite, toToolServer } from "#shared/tools/server-store.ts";

export const handler = endpoint(createToolServerRoute, async ({ principal, body, commit, baseUrl }) => {
  const server = await newToolServer({ ...principal, baseUrl }, body);
  if (body.dry_run) return new Reply(200, toToolServer(server));
  const reply = new Reply(201, toToolServer(server), { location: pathOf(getToolServerRoute, { id: server.id }) });
  return commit(reply, newToolServerWrite(principal, server));
});
