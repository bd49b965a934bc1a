import * as v from "valibot";
import { defineRoute, pathOf } from "../define-route.ts";
import type { ProblemCode } from "../problem-codes.ts";

const docs = { group: "docs", method: "GET", auth: "none" } as const;

export const getOpenapi = defineRoute({
  ...docs,
  id: "getOpenapi",
  path: "/v1/openapi.json",
  replies: { 200: v.record(v.string(), v.unknown()) },
  summary: "This interface as an OpenAPI 3.1 document",
});

export const getDocs = defineRoute({
  ...docs,
  id: "getDocs",
  path: "/docs",
  replies: { 200: v.string() },
  mediaTypes: ["text/html"],
  summary: "This interface as a page to read",
});

export const getProblem = defineRoute({
  ...docs,
  id: "getProblem",
  path: "/problems/{code}",
  params: v.object({ code: v.pipe(v.string(), v.maxLength(100)) }),
  replies: {
    200: v.object({ code: v.string(), title: v.string(), status: v.number(), help: v.string() }),
  },
  mediaTypes: ["application/json", "text/html"],
  errors: ["not_found"],
  summary: "What an error means, and what to do about it",
  description: "The `type` of a problem is the address of this page.",
});

/** Returns the path of a problem's documentation page, which is also its `type`. Paths have hyphens, codes underscores. */
export function problemPath(code: ProblemCode): string {
  return pathOf(getProblem, { code: code.replaceAll("_", "-") });
}
