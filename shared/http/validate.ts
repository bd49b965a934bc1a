import * as v from "valibot";
import type { Route } from "../api/define-route.ts";
import { type FieldError, notFound, ServiceError } from "../lib/errors.ts";
import { fieldErrors } from "../lib/field-errors.ts";

/** Where text holds half a character (a lone surrogate): JSON can say so, but nothing can store it. */
function findLoneSurrogates(body: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const waiting = [{ path: "", value: body }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, value } = next;
    if (typeof value === "string" && !value.isWellFormed()) {
      errors.push({ path, location: "body", code: "invalid_format", message: "must not hold half a character" });
    } else if (typeof value === "object" && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        const innerPath = path === "" ? name : `${path}.${name}`;
        waiting.push({ path: innerPath, value: name.isWellFormed() ? inner : name });
      }
    }
  }
  return errors;
}

/** What a request holds once its contract has been checked. */
export interface ValidatedInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * Checks path, query and body of a request against its contract, and names all that is wrong at once.
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
    // Nobody is there to mend an alert: it is kept without what cannot be kept of it.
    ...(body && contract.auth !== "webhook-signature" ? findLoneSurrogates(input.body) : []),
  ];
  if (errors.length > 0) {
    throw new ServiceError(
      "validation_failed",
      `${errors.length === 1 ? "One value is" : `${errors.length} values are`} not acceptable.`,
      { errors },
    );
  }
  return { params: params?.output, query: query?.output, body: body?.output };
}
