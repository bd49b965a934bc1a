import * as v from "valibot";
import { isSigned, type Route } from "../api/define-route.ts";
import { type FieldError, invalidFields, notFound } from "../lib/errors.ts";
import { fieldErrors } from "../lib/field-errors.ts";

/**
 * Returns an error for each string or key with an unpaired surrogate. JSON can express them, but UTF-8 cannot, so the
 * table could not store them.
 */
function findLoneSurrogates(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const pending = [{ path: "", value: body }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { path, value } = next;
    if (typeof value === "string" && !value.isWellFormed()) {
      errors.push({ path, location: "body", code: "invalid_format", message: "contains an unpaired surrogate" });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, child] of Object.entries(value)) {
        const childPath = path === "" ? name : `${path}.${name}`;
        pending.push({ path: childPath, value: name.isWellFormed() ? child : name });
      }
    }
  }
  return errors;
}

/** Maximum number of unknown fields that one response reports. */
const MAX_UNKNOWN_FIELDS = 20;

/** Removes the value at a path from a JSON value. */
function removeAt(value: unknown, path: readonly { readonly key: unknown }[]): void {
  let parent = value as Record<string, unknown>;
  for (const { key } of path.slice(0, -1)) parent = parent[String(key)] as Record<string, unknown>;
  delete parent[String(path.at(-1)?.key)];
}

const isUnknownField = ({ type, expected }: v.BaseIssue<unknown>) => type === "strict_object" && expected === "never";

/**
 * Parses a value and returns all of its errors. valibot stops at the first unknown field of an object, so unknown
 * fields are removed from a copy and the copy is parsed again, until `MAX_UNKNOWN_FIELDS` errors are found.
 */
function parseCompletely(schema: v.GenericSchema, value: unknown, location: FieldError["location"]) {
  const first = v.safeParse(schema, value);
  const keyOf = ({ path, code }: FieldError) => `${code} ${path}`;
  const errors = new Map(fieldErrors(first.issues, location).map((error) => [keyOf(error), error]));
  let unknown = (first.issues ?? []).filter(isUnknownField);
  const copy = unknown.length > 0 ? structuredClone(value) : value;
  while (unknown.length > 0 && errors.size < MAX_UNKNOWN_FIELDS) {
    for (const { path } of unknown) removeAt(copy, (path ?? []) as { key: unknown }[]);
    const { issues = [] } = v.safeParse(schema, copy);
    for (const error of fieldErrors(issues, location)) errors.set(keyOf(error), error);
    unknown = issues.filter(isUnknownField);
  }
  return { output: first.output, errors: [...errors.values()] };
}

/** Path parameters, query and body of a request, parsed by its contract. */
export interface ValidatedInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Validates path, query and body of a request against its contract and reports all invalid values at once.
 * @throws ServiceError `not_found` for invalid path parameters, `validation_failed` for query and body
 */
export function validate(
  contract: Pick<Route, "auth" | "params" | "query" | "body">,
  input: ValidatedInput,
): ValidatedInput {
  const params = contract.params ? v.safeParse(contract.params, input.params) : null;
  if (params && !params.success) throw notFound();
  const query = contract.query ? parseCompletely(contract.query, input.query, "query") : null;
  const body = contract.body ? parseCompletely(contract.body, input.body, "body") : null;
  const errors = [
    ...(query?.errors ?? []),
    ...(body?.errors ?? []),
    // Alerts come from machines, so invalid characters are stripped later rather than rejected.
    ...(body && !isSigned(contract.auth) ? findLoneSurrogates(input.body) : []),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  return { params: params?.output, query: query?.output, body: body?.output };
}
