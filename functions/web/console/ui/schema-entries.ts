import { t } from "../lib/i18n.ts";
import { toFields } from "../lib/schema-fields.ts";
import type { FormField } from "./form-fields.tsx";

/** Length of a text from which its field has several lines. */
const MIN_LONG_LENGTH = 60;

/**
 * Returns the fields of a form for the properties of an object; JSON only for lists and objects.
 * @param schema JSON Schema of the object; `{}` if it is not known
 * @param path name of the property of the request body that contains the object
 * @param labels labels by the names of the properties
 */
export function schemaEntries<Path extends string>(
  schema: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  labels: Readonly<Record<string, string>> = {},
  describeOption: (value: string | number | boolean) => string = String,
): readonly (FormField<`${Path}.${string}`> & { readonly property: string })[] {
  return toFields(schema, value).map((rule) => {
    const { name, title, description, type, isRequired, options } = rule;
    const text = `${title ?? labels[name] ?? name.replaceAll("_", " ")}${isRequired ? " *" : ""}`;
    const own = value[name];
    const isLong = typeof own === "string" && (own.length > MIN_LONG_LENGTH || own.includes("\n"));
    const areTexts = options.every((option) => typeof option === "string");
    const choices = options.map(
      (option) => [areTexts ? String(option) : JSON.stringify(option), describeOption(option)] as const,
    );
    const hasValue = isRequired && own !== undefined && own !== null;
    return {
      property: name,
      name: `${path}.${name}`,
      keys: [path, name],
      rule,
      label: type === "json" ? t("{name} (JSON)", { name: text }) : text,
      hint: description,
      ...(type === "date" && { type }),
      ...(type === "choice" && { options: hasValue ? choices : [["", t("Not chosen")] as const, ...choices] }),
      ...((type === "json" || isLong) && { rows: type === "json" ? 5 : 4 }),
    };
  });
}
