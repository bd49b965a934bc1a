import * as v from "valibot";
import type { VisitorEntries, VisitorField, VisitorForm, VisitorInput } from "../api/embed/visitor-form.ts";
import { Email } from "../api/fields.ts";
import { type FieldError, invalidFields, ServiceError } from "../lib/errors.ts";

/** Returns why a value does not fit its field, or null. */
function findProblem({ type, options, is_required }: VisitorField, value: string): string | null {
  if (value === "") return is_required ? "must not be empty" : null;
  if (type === "email" && !v.is(Email, value)) return "must be an e-mail address";
  return type === "choice" && !options.includes(value) ? `must be one of ${options.join(", ")}` : null;
}

const toError = (path: string, message: string): FieldError => ({
  ...{ path, location: "body", code: "invalid_value", message },
});

/**
 * Returns what a visitor entered before the chat; null for a key without a form.
 * @throws ServiceError `form_required` if nothing was entered, `validation_failed` that names each field
 */
export function checkForm(form: VisitorForm | null, input: VisitorInput | undefined): VisitorEntries | null {
  if (!form) return null;
  if (!input) throw new ServiceError("form_required");
  const entered = (name: string) => (Object.hasOwn(input.values, name) ? (input.values[name] ?? "").trim() : "");
  const names = new Set(form.fields.map(({ name }) => name));
  const errors = [
    ...form.fields.flatMap((field) => {
      const problem = findProblem(field, entered(field.name));
      return problem === null ? [] : [toError(`form.values.${field.name}`, problem)];
    }),
    ...Object.keys(input.values)
      .filter((name) => !names.has(name))
      .map((name) => toError(`form.values.${name}`, "is unknown")),
    ...(form.consent !== null && !input.consent ? [toError("form.consent", "must be true")] : []),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  return form.fields.flatMap(({ name, label }) =>
    entered(name) === "" ? [] : [{ name, label, value: entered(name) }],
  );
}
