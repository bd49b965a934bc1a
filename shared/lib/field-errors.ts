import * as v from "valibot";
import type { FieldError } from "./errors.ts";

/** Validation codes by valibot's names of its checks. */
const codes: Readonly<Record<string, string>> = {
  min_length: "too_short",
  max_length: "too_long",
  min_value: "too_small",
  max_value: "too_large",
  regex: "invalid_format",
  picklist: "invalid_value",
  literal: "invalid_value",
  variant: "invalid_value",
};

function codeOf(issue: v.BaseIssue<unknown>): string {
  if (issue.type === "strict_object" && issue.expected === "never") return "unknown_field";
  if (issue.received === "undefined") return "required";
  return codes[issue.type] ?? (issue.kind === "schema" ? "invalid_type" : "invalid_value");
}

const bounds: Readonly<Record<string, string>> = { min_length: "at least", max_length: "at most" };

/** For a schema that says nothing of its own: valibot would repeat what was given, however long. */
function usualMessage({ kind, type, expected, input, ...issue }: v.BaseIssue<unknown>): string {
  if (kind === "schema") return `must be ${expected?.replaceAll(/[()"]/g, "").replaceAll(" | ", " or ")}`;
  if (type === "regex") return "has not the form it should have";
  const bound = bounds[type];
  const unit = typeof input === "string" ? "characters" : "entries";
  return bound ? `must have ${bound} ${issue.requirement} ${unit}` : "is not acceptable";
}

function messageOf(issue: v.BaseIssue<unknown>, code: string): string {
  if (code === "unknown_field") return "is not a field of this request";
  if (code === "required") return "is required";
  return issue.message.startsWith("Invalid ") ? usualMessage(issue) : issue.message;
}

/** Where none of several shapes fits: what is wrong inside the one that was meant, if any was. */
function causesOf(issue: v.BaseIssue<unknown>): readonly v.BaseIssue<unknown>[] {
  const inside = issue.type === "union" ? (issue.issues ?? []).filter(({ path }) => path !== undefined) : [];
  if (inside.length === 0) return [issue];
  return inside.flatMap((cause) => {
    const [first, ...rest] = [...(issue.path ?? []), ...(cause.path ?? [])];
    return first ? causesOf({ ...cause, path: [first, ...rest] }) : [];
  });
}

/**
 * What is wrong with a value, as callers are told.
 * @param base where the value stands, if it is only a part
 */
export function fieldErrors(
  issues: readonly v.BaseIssue<unknown>[] | undefined,
  location: FieldError["location"],
  base = "",
): FieldError[] {
  return (issues ?? []).flatMap(causesOf).map((issue) => {
    const code = codeOf(issue);
    const path = [base, v.getDotPath(issue)].filter(Boolean).join(".");
    return { path, location, code, message: messageOf(issue, code) };
  });
}
