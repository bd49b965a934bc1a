import { listToolServers } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import * as servers from "#shared/tools/server-store.ts";

export const handler = endpoint(listToolServers, async ({ principal, query }) =>
  pageReply("servers", await servers.listToolServers(principal, query), query.limit),
);
