import * as v from "valibot";
import { defineRoute, isScimRoute } from "#shared/api/define-route.ts";
import { getFeatureFlagsRoute, getHealthRoute, listConsentActivitiesRoute } from "#shared/api/platform/open.ts";
import { isDatabaseReachable } from "#shared/dynamodb/database-health.ts";
import { isPreflight, preflightHeaders } from "#shared/http/cors.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { env } from "#shared/lib/env.ts";
import { noRoute } from "#shared/lib/errors.ts";
import { isModelReachable } from "#shared/models/model-health.ts";
import { commonFormat } from "#shared/openai/messages/anthropic-error.ts";
import { refuseScimRoute } from "#shared/scim/refuse-scim-route.ts";
import { scimFormat } from "#shared/scim/scim-format.ts";
import { consentActivities } from "#shared/tenancy/consent-activities.ts";
import { featureFlags } from "#shared/tenancy/feature-flags.ts";

export const getFeatureFlagsHandler = endpoint(getFeatureFlagsRoute, async () => ({
  flags: { ...featureFlags },
  version: env("SERVICE_VERSION").SERVICE_VERSION,
}));

export const getHealthHandler = endpoint(getHealthRoute, async () => {
  const [database, model] = await Promise.all([isDatabaseReachable(), isModelReachable()]);
  return new Reply(database && model ? 200 : 503, {
    status: database && model ? "ok" : "degraded",
    checks: { database: database ? "ok" : "failed", model: model ? "ok" : "failed" },
    version: env("SERVICE_VERSION").SERVICE_VERSION,
    time: timestamp(),
  });
});

export const listConsentActivitiesHandler = endpoint(listConsentActivitiesRoute, async () => ({
  activities: consentActivities.map((activity) => ({ ...activity })),
}));

/**
 * Answers requests that match no route, to the REST API and the OpenAI-compatible API. As it serves no route itself, it is
 * not in the route table.
 */
export const routeNotFoundHandler = endpoint(
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
