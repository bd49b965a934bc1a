import * as v from "valibot";
import { defineRoute, isScimRoute } from "#shared/api/define-route.ts";
import { isPreflight, preflightHeaders } from "#shared/http/cors.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { noRoute } from "#shared/lib/errors.ts";
import { commonFormat } from "#shared/openai/messages/anthropic-error.ts";
import { refuseScimRoute } from "#shared/scim/refuse-scim-route.ts";
import { scimFormat } from "#shared/scim/scim-format.ts";

/**
 * Answers requests that match no route, to the REST API and the OpenAI-compatible API. As it serves no route itself, it is
 * not in the route table.
 */
export const handler = endpoint(
  defineRoute({
    id: "routeNotFound",
    group: "open",
    method: "ANY",
    path: "/{proxy+}",
    auth: "none",
    query: v.record(v.string(), v.string()),
    idempotency: "none",
    replies: { 204: null, 308: null, 404: null },
    summary: "Return 404 for unknown paths",
  }),
  async ({ method, headers, path, baseUrl, query }) => {
    // A preflight of any path is answered alike, because only the response to the request itself tells what exists.
    if (isPreflight(method, headers)) return new Reply(204, undefined, preflightHeaders({ auth: "jwt" }));
    // API Gateway ignores a slash at the end, and CloudFront, which selects streaming functions by path, does not.
    const canonicalPath = path.replace(/\/{2,}/g, "/").replace(/\/$/, "");
    if (canonicalPath !== path && path !== "/") {
      const search = new URLSearchParams(query).toString();
      return new Reply(308, undefined, { location: `${baseUrl}${canonicalPath}${search && `?${search}`}` });
    }
    throw isScimRoute({ path }) ? refuseScimRoute(method, path) : noRoute();
  },
  {
    renderError: (request, error, requestId) =>
      scimFormat.renderError?.(request, error, requestId) ?? commonFormat.renderError?.(request, error, requestId),
  },
);
