import * as v from "valibot";
import type { FieldError } from "./errors.ts";

/** Error codes by valibot check. */
const errorCodes: Readonly<Record<string, string>> = {
  min_length: "too_short",
  max_length: "too_long",
  min_value: "too_small",
  max_value: "too_large",
  regex: "invalid_format",
  picklist: "invalid_value",
  literal: "invalid_value",
  variant: "invalid_value",
};

function toErrorCode(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "strict_object" && issue.expected === "never") return "unknown_field";
  if (issue.received === "undefined") return "required";
  return errorCodes[issue.type] ?? (issue.kind === "schema" ? "invalid_type" : "invalid_value");
}

const bounds: Readonly<Record<string, string>> = { min_length: "at least", max_length: "at most" };

/** Returns a message without the received value, which valibot's default message repeats at any length. */
function defaultMessage({ kind, type, expected, input, ...issue }: v.BaseIssue<unknown>): string {
  if (kind === "schema") return `must be ${expected?.replaceAll(/[()"]/g, "").replaceAll(" | ", " or ")}`;
  if (type === "regex") return "has an invalid format";
  const bound = bounds[type];
  const unit = typeof input === "string" ? "characters" : "entries";
  return bound ? `must have ${bound} ${issue.requirement} ${unit}` : "is invalid";
}

function toMessage(issue: v.BaseIssue<unknown>, code: string): string {
  if (code === "unknown_field") return "is not a known field";
  if (code === "required") return "is required";
  return issue.message.startsWith("Invalid ") ? defaultMessage(issue) : issue.message;
}

/**
 * Replaces the issue of a union type by the nested issues of its options, which name the invalid field; returns it unchanged
 * if it has none.
 */
function expandUnionIssue(issue: v.BaseIssue<unknown>): readonly v.BaseIssue<unknown>[] {
  const nested = issue.type === "union" ? (issue.issues ?? []).filter(({ path }) => path !== undefined) : [];
  if (nested.length === 0) return [issue];
  return nested.flatMap((cause) => {
    const [first, ...rest] = [...(issue.path ?? []), ...(cause.path ?? [])];
    return first ? expandUnionIssue({ ...cause, path: [first, ...rest] }) : [];
  });
}

/**
 * Converts valibot issues into the field errors of a response.
 * @param basePath path of the validated value within the request
 */
export function fieldErrors(
  issues: readonly v.BaseIssue<unknown>[] | undefined,
  location: FieldError["location"],
  basePath = "",
): FieldError[] {
  return (issues ?? []).flatMap(expandUnionIssue).map((issue) => {
    const code = toErrorCode(issue);
    const path = [basePath, v.getDotPath(issue)].filter(Boolean).join(".");
    return { path, location, code, message: toMessage(issue, code) };
  });
}
