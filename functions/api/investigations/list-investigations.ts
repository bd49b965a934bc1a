import { listInvestigationsRoute } from "#shared/api/investigations/investigations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listReadable } from "#shared/investigations/list-readable.ts";

export const handler = endpoint(listInvestigationsRoute, async ({ principal, query }) =>
  pageReply("investigations", await listReadable(principal, query.state, query), query.limit),
);
