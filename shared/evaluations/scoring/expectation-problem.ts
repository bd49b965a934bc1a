import type { Expectation } from "../../api/evaluations/expectations.ts";
import { findSchemaProblem } from "./json-schema.ts";
import { compilePattern, PatternError } from "./linear-pattern.ts";

/** Returns why an expectation cannot be checked; null if it can. */
export function findExpectationProblem(expectation: Expectation): string | null {
  if (expectation.type === "json_schema") return findSchemaProblem(expectation.schema);
  if (expectation.type !== "regex") return null;
  try {
    compilePattern(expectation.pattern, expectation.ignore_case);
    return null;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}
