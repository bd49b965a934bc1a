import { getToolServer } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as servers from "#shared/tools/server-store.ts";

export const handler = endpoint(getToolServer, async ({ principal, params }) =>
  servers.toToolServer(await servers.getToolServer(principal, params.id)),
);
