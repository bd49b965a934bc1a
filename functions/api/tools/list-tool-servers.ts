import { listToolServersRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listToolServers } from "#shared/tools/server-store.ts";

export const handler = endpoint(listToolServersRoute, async ({ principal, query }) =>
  pageReply("servers", await listToolServers(principal, query), query.limit),
);
