import * as v from "valibot";
import { routeGroup } from "../define-route.ts";

/** Deprecation and earliest removal of `/v1/projects`, in UTC. */
const deprecatedAtMs = Date.UTC(2026, 0, 1);
const sunsetAtMs = Date.UTC(2027, 11, 31, 23, 59, 59);

/**
 * Headers of all responses under the deprecated path.
 * @see RFC 9745 (Deprecation), RFC 8594 (Sunset)
 */
const deprecationHeaders = {
  deprecation: `@${deprecatedAtMs / 1_000}`,
  sunset: new Date(sunsetAtMs).toUTCString(),
  link: '</v1/folders>; rel="successor-version"',
};

/** Requires no credential, because it only redirects; the target authenticates the caller. */
const route = routeGroup({
  group: "projects",
  auth: "none",
  headers: deprecationHeaders,
  query: v.record(v.string(), v.string()),
  idempotency: "none",
  replies: { 301: null, 308: null },
  description:
    "Deprecated. Use `/v1/folders` instead. Redirects to the same path under `/v1/folders`, with status 301 for GET and HEAD and 308 for all other methods.",
});

export const redirectProjectsRoute = route("ANY /v1/projects", {
  id: "redirectProjects",
  summary: "Redirect to the folder list",
});

export const redirectProjectRoute = route("ANY /v1/projects/{path+}", {
  id: "redirectProject",
  params: v.object({ path: v.string() }),
  summary: "Redirect to a folder",
});
