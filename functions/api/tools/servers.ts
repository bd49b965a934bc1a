import { pathOf } from "#shared/api/define-route.ts";
import {
  callToolServerRoute,
  checkToolServerRoute,
  createToolServerRoute,
  deleteToolServerRoute,
  getKeySetRoute,
  getToolServerRoute,
  listToolServersRoute,
  updateToolServerRoute,
} from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { requireBoundArguments } from "#shared/tools/bound-arguments.ts";
import { listCallerKeys } from "#shared/tools/caller-context.ts";
import { changeToolServer, newToolServer } from "#shared/tools/change-server.ts";
import { checkServer } from "#shared/tools/check-server.ts";
import { revokeAllTokens } from "#shared/tools/oauth/revoke-tokens.ts";
import {
  deleteToolServer,
  getToolServer,
  listToolServers,
  newToolServerWrite,
  replaceToolServer,
  toToolServer,
} from "#shared/tools/server-store.ts";
import { tryTool } from "#shared/tools/try-tool.ts";

export const callToolServerHandler = endpoint(callToolServerRoute, async ({ principal, params, body }) =>
  tryTool(principal, await getToolServer(principal, params.id), body.tool, body.input),
);

export const checkToolServerHandler = endpoint(checkToolServerRoute, async ({ principal, params }) => {
  const server = await getToolServer(principal, params.id);
  return toToolServer(await replaceToolServer(principal, server, await checkServer(principal, server)));
});

export const createToolServerHandler = endpoint(createToolServerRoute, async ({ principal, body, commit, baseUrl }) => {
  const server = await newToolServer({ ...principal, baseUrl }, body);
  requireBoundArguments(server);
  if (body.dry_run) return new Reply(200, toToolServer(server));
  const reply = new Reply(201, toToolServer(server), { location: pathOf(getToolServerRoute, { id: server.id }) });
  return commit(reply, newToolServerWrite(principal, server));
});

export const deleteToolServerHandler = endpoint(deleteToolServerRoute, async ({ principal, params }) => {
  const server = await getToolServer(principal, params.id);
  await deleteToolServer(principal, params.id);
  await revokeAllTokens(principal, server);
});

export const getKeySetHandler = endpoint(
  getKeySetRoute,
  async () => new Reply(200, { keys: await listCallerKeys() }, { "cache-control": "public, max-age=300" }),
);

export const getToolServerHandler = endpoint(getToolServerRoute, async ({ principal, params }) =>
  toToolServer(await getToolServer(principal, params.id)),
);

export const listToolServersHandler = endpoint(listToolServersRoute, async ({ principal, query }) =>
  pageReply("servers", await listToolServers(principal, query), query.limit),
);

export const updateToolServerHandler = endpoint(updateToolServerRoute, async ({ principal, params, body, baseUrl }) => {
  const server = await getToolServer(principal, params.id);
  const changed = await changeToolServer({ ...principal, baseUrl }, server, body);
  if (body.bind) requireBoundArguments(changed);
  return toToolServer(await replaceToolServer(principal, server, changed));
});
