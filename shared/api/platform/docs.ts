import * as v from "valibot";
import { defineRoute, pathOf } from "../define-route.ts";
import { Integer } from "../fields.ts";
import type { ProblemCode } from "../problem-codes.ts";

const docs = { group: "docs", method: "GET", auth: "none" } as const;

export const getOpenapiRoute = defineRoute({
  ...docs,
  id: "getOpenapi",
  path: "/v1/openapi.json",
  replies: { 200: v.record(v.string(), v.unknown()) },
  summary: "Get the OpenAPI document",
});

export const getProblemRoute = defineRoute({
  ...docs,
  id: "getProblem",
  path: "/problems/{code}",
  params: v.object({ code: v.pipe(v.string(), v.maxLength(100)) }),
  replies: {
    200: v.object({ code: v.string(), title: v.string(), status: Integer, help: v.string() }),
  },
  mediaTypes: ["application/json", "text/html"],
  errors: ["not_found"],
  summary: "Get the documentation of an error",
  description: "The `type` of a problem is the path of its documentation.",
});

/** Returns the path of a problem's documentation page, which is also its `type`. Paths have hyphens, codes underscores. */
export function problemPath(code: ProblemCode): string {
  return pathOf(getProblemRoute, { code: code.replaceAll("_", "-") });
}
