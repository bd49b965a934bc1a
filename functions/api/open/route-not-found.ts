import { defineRoute } from "#shared/api/define-route.ts";
import { isPreflight, preflightHeaders } from "#shared/http/cors.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { noRoute } from "#shared/lib/errors.ts";
import { commonFormat } from "#shared/openai/messages/anthropic-error.ts";

/**
 * Answers requests that match no route, to the REST API and the OpenAI-compatible API. As it serves no route itself, it is
 * not in the route table.
 */
export const handler = endpoint(
  defineRoute({
    id: "routeNotFound",
    group: "open",
    method: "GET",
    path: "/{proxy+}",
    auth: "none",
    idempotency: "none",
    replies: { 204: null, 404: null },
    summary: "Return 404 for unknown paths",
  }),
  async ({ method, headers }) => {
    // A preflight of any path is answered alike, because only the response to the request itself tells what exists.
    if (isPreflight(method, headers)) return new Reply(204, undefined, preflightHeaders({ auth: "jwt" }));
    throw noRoute();
  },
  commonFormat,
);
