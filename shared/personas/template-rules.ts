import type { Template, TemplateVariable } from "../api/personas/templates.ts";
import { type FieldError, invalidFields, notFound, ServiceError } from "../lib/errors.ts";

/** Placeholder of a variable: `{{name}}`, optionally with spaces inside the braces. */
const placeholderPattern = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g;

/** Maximum length of a filled template, which is that of a chat message. */
const MAX_TEXT_LENGTH = 32_000;

const findPlaceholders = (body: string) => [
  ...new Set([...body.matchAll(placeholderPattern)].map(([, name = ""]) => name)),
];

/**
 * Returns the variables of a template in the order of their placeholders. A variable that is not declared is required.
 * @throws ServiceError `validation_failed` if a variable is declared twice or has no placeholder
 */
export function resolveVariables(body: string, declared: readonly TemplateVariable[]): TemplateVariable[] {
  const names = findPlaceholders(body);
  const errors = declared.flatMap(({ name }, index): FieldError[] => {
    const field = { path: `variables.${index}.name`, location: "body" } as const;
    if (declared.findIndex((other) => other.name === name) < index)
      return [{ ...field, code: "duplicate", message: "is a duplicate of an earlier variable" }];
    return names.includes(name) ? [] : [{ ...field, code: "unused", message: "has no placeholder in the body" }];
  });
  if (errors.length > 0) throw invalidFields(errors);
  return names.map(
    (name) => declared.find((variable) => variable.name === name) ?? { name, required: true, default: null },
  );
}

/** Returns the variables for a changed body. A placeholder that existed before keeps its declaration. */
export function retainVariables(body: string, previous: readonly TemplateVariable[]): TemplateVariable[] {
  const names = findPlaceholders(body);
  return resolveVariables(
    body,
    previous.filter(({ name }) => names.includes(name)),
  );
}

type Values = Readonly<Record<string, string | number | boolean>>;

function validateValues({ variables }: Pick<Template, "variables">, values: Values): FieldError[] {
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
 * Replaces the placeholders of a template by values. Placeholders within values stay as they are.
 * @throws ServiceError `validation_failed` for missing and unknown variables
 */
export function fillTemplate(template: Pick<Template, "body" | "variables">, values: Values): string {
  const errors = validateValues(template, values);
  if (errors.length > 0) throw invalidFields(errors);
  const texts = new Map(
    template.variables.map((variable) => {
      const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined;
      return [variable.name, String(value ?? variable.default ?? "")];
    }),
  );
  const addedLength = [...template.body.matchAll(placeholderPattern)].reduce(
    (sum, [placeholder, name = ""]) => sum + (texts.get(name)?.length ?? 0) - placeholder.length,
    0,
  );
  if (template.body.length + addedLength > MAX_TEXT_LENGTH) {
    const message = `must not make the text longer than ${MAX_TEXT_LENGTH.toLocaleString("en")} characters`;
    throw invalidFields([{ path: "variables", location: "body", code: "too_long", message }]);
  }
  return template.body.replace(placeholderPattern, (_, name: string) => texts.get(name) ?? "");
}

type Owned = Pick<Template, "is_system" | "owner_id" | "visibility">;

export function canUseTemplate(template: Owned, userId: string): boolean {
  return template.is_system || template.visibility === "tenant" || template.owner_id === userId;
}

/**
 * @throws ServiceError `not_found` if the user cannot see the template, `system_template` or `forbidden` if the user
 * cannot change it
 */
export function authorizeTemplateChange(template: Owned, userId: string, isAdmin: boolean): void {
  if (!canUseTemplate(template, userId)) throw notFound();
  if (template.is_system) throw new ServiceError("system_template");
  if (template.owner_id === userId || isAdmin) return;
  throw new ServiceError("forbidden", "Only its owner and administrators can change a template.");
}
