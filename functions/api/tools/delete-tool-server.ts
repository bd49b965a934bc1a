import { deleteToolServer } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as servers from "#shared/tools/server-store.ts";

export const handler = endpoint(deleteToolServer, ({ principal, params }) =>
  servers.deleteToolServer(principal, params.id),
);
