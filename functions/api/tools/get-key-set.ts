import { getKeySetRoute } from "#shared/api/tools/servers.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { listCallerKeys } from "#shared/tools/caller-context.ts";

export const handler = endpoint(
  getKeySetRoute,
  async () => new Reply(200, { keys: await listCallerKeys() }, { "cache-control": "public, max-age=300" }),
);
