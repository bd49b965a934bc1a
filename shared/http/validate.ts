import * as v from "valibot";
import type { Route } from "../api/define-route.ts";
import { type FieldError, invalidFields, notFound } from "../lib/errors.ts";
import { fieldErrors } from "../lib/field-errors.ts";

/** Finds strings and keys with unpaired surrogates: JSON can express them, but UTF-8 and therefore the table cannot. */
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

/** Path parameters, query and body of a request, parsed by its contract. */
export interface ValidatedInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Validates path, query and body of a request against its contract and reports all invalid values at once.
 * @throws ServiceError `not_found` for path parameters, `validation_failed` for the rest
 */
export function validate(
  contract: Pick<Route, "auth" | "params" | "query" | "body">,
  input: ValidatedInput,
): ValidatedInput {
  const params = contract.params ? v.safeParse(contract.params, input.params) : null;
  if (params && !params.success) throw notFound();
  const query = contract.query ? v.safeParse(contract.query, input.query) : null;
  const body = contract.body ? v.safeParse(contract.body, input.body) : null;
  const errors = [
    ...fieldErrors(query?.issues, "query"),
    ...fieldErrors(body?.issues, "body"),
    // Alerts come from machines, so invalid characters are stripped later rather than rejected.
    ...(body && contract.auth !== "webhook-signature" ? findLoneSurrogates(input.body) : []),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  return { params: params?.output, query: query?.output, body: body?.output };
}
