import type { Template, TemplateVariable } from "../api/personas/templates.ts";
import { type FieldError, invalidFields, notFound, ServiceError } from "../lib/errors.ts";

/** `{{name}}`, spaces inside the braces aside. */
const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;

/** What a message can hold. */
const longestText = 32_000;

const placeholdersOf = (body: string) => [...new Set([...body.matchAll(placeholder)].map(([, name = ""]) => name))];

/**
 * The variables of a template in the order of their placeholders: those that were declared as they were, all others
 * required.
 * @throws ServiceError `validation_failed` for one that is declared twice, or that the body has no place for
 */
export function variablesOf(body: string, declared: readonly TemplateVariable[]): TemplateVariable[] {
  const names = placeholdersOf(body);
  const errors = declared.flatMap(({ name }, index): FieldError[] => {
    const field = { path: `variables.${index}.name`, location: "body" } as const;
    if (declared.findIndex((other) => other.name === name) < index)
      return [{ ...field, code: "duplicate", message: "is named before" }];
    return names.includes(name) ? [] : [{ ...field, code: "unused", message: "has no placeholder in the body" }];
  });
  if (errors.length > 0) throw invalidFields(errors);
  return names.map(
    (name) => declared.find((variable) => variable.name === name) ?? { name, required: true, default: null },
  );
}

/** The variables of a template whose body has changed: what was declared for placeholders that are still there stays. */
export function keptVariables(body: string, earlier: readonly TemplateVariable[]): TemplateVariable[] {
  const names = placeholdersOf(body);
  return variablesOf(
    body,
    earlier.filter(({ name }) => names.includes(name)),
  );
}

type Values = Readonly<Record<string, string | number | boolean>>;

function problemsWith({ variables }: Pick<Template, "variables">, values: Values): FieldError[] {
  const missing = variables
    .filter((variable) => variable.required && variable.default === null && !Object.hasOwn(values, variable.name))
    .map(({ name }) => ({ name, code: "required", message: "is required" }));
  const unknown = Object.keys(values)
    .filter((name) => !variables.some((variable) => variable.name === name))
    .map((name) => ({ name, code: "unknown_field", message: "is not a variable of this template" }));
  return [...missing, ...unknown].map(({ name, ...error }) => ({
    path: `variables.${name}`,
    location: "body",
    ...error,
  }));
}

/**
 * A template with its variables filled in, once: what a value says is never a placeholder.
 * @throws ServiceError `validation_failed` that names every variable that is missing or that there is not
 */
export function render(template: Pick<Template, "body" | "variables">, values: Values): string {
  const errors = problemsWith(template, values);
  if (errors.length > 0) throw invalidFields(errors);
  const texts = new Map(
    template.variables.map((variable) => {
      const given = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
      return [variable.name, String(given ?? variable.default ?? "")];
    }),
  );
  const longer = [...template.body.matchAll(placeholder)].reduce(
    (sum, [whole, name = ""]) => sum + (texts.get(name)?.length ?? 0) - whole.length,
    0,
  );
  if (template.body.length + longer > longestText) {
    const message = `the text would have more than ${longestText.toLocaleString("en")} characters`;
    throw invalidFields([{ path: "variables", location: "body", code: "too_long", message }]);
  }
  return template.body.replace(placeholder, (_, name: string) => texts.get(name) ?? "");
}

type Owned = Pick<Template, "is_system" | "owner_id" | "visibility">;

/** Whether the person finds a template. */
export function mayUseTemplate(template: Owned, userId: string): boolean {
  return template.is_system || template.visibility === "tenant" || template.owner_id === userId;
}

/**
 * @throws ServiceError `not_found` for what the person does not find, `system_template` and `forbidden` for what is not
 * the person's to change
 */
export function checkTemplateChangeable(template: Owned, userId: string, isAdmin: boolean): void {
  if (!mayUseTemplate(template, userId)) throw notFound();
  if (template.is_system) throw new ServiceError("system_template");
  if (template.owner_id === userId || isAdmin) return;
  throw new ServiceError("forbidden", "Only its owner and administrators may change a template of the tenant.");
}
