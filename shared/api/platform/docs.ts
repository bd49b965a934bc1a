import * as v from "valibot";
import { pathOf, routeGroup } from "../define-route.ts";
import { Integer } from "../fields.ts";
import type { ProblemCode } from "../problem-codes.ts";

const route = routeGroup({ group: "docs", auth: "none" });

export const getOpenapiRoute = route("GET /v1/openapi.json", {
  id: "getOpenapi",
  replies: { 200: v.record(v.string(), v.unknown()) },
  summary: "Get the OpenAPI document",
});

export const getProblemRoute = route("GET /problems/{code}", {
  id: "getProblem",
  params: v.object({ code: v.pipe(v.string(), v.maxLength(100)) }),
  replies: {
    200: v.object({ code: v.string(), title: v.string(), status: Integer, help: v.string() }),
  },
  mediaTypes: ["application/json", "text/html"],
  summary: "Get the documentation of an error",
  description: "The `type` of a problem is the path of its documentation.",
});

/** Returns the path of a problem's documentation page, which is also its `type`. Paths have hyphens, codes underscores. */
export function problemPath(code: ProblemCode): string {
  return pathOf(getProblemRoute, { code: code.replaceAll("_", "-") });
}
