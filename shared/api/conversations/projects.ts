import * as v from "valibot";
import { defineRoute } from "../define-route.ts";

/** When `/v1/projects` became an old name, and when it may go; both in UTC. */
const deprecatedAt = Date.UTC(2026, 0, 1);
const sunsetAt = Date.UTC(2027, 11, 31, 23, 59, 59);

/** What every answer under the old name says of it. @see RFC 9745 (Deprecation), RFC 8594 (Sunset) */
const oldName = {
  deprecation: `@${deprecatedAt / 1_000}`,
  sunset: new Date(sunsetAt).toUTCString(),
  link: '</v1/folders>; rel="successor-version"',
};

/** Open: nothing is told but where to ask, and there the caller is asked for a credential. */
const alias = {
  group: "projects",
  method: "ANY",
  auth: "none",
  headers: oldName,
  query: v.record(v.string(), v.string()),
  idempotency: "none",
  replies: { 301: null, 308: null },
  description:
    "Deprecated: projects are folders now. GET and HEAD answer 301, other methods 308, each to the same path under `/v1/folders`.",
} as const;

export const redirectProjects = defineRoute({
  ...alias,
  id: "redirectProjects",
  path: "/v1/projects",
  summary: "Old name of the list of folders",
});

export const redirectProject = defineRoute({
  ...alias,
  id: "redirectProject",
  path: "/v1/projects/{path+}",
  params: v.object({ path: v.string() }),
  summary: "Old name of a folder",
});
