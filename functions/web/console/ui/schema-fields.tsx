import { t } from "../lib/i18n.ts";
import type { Draft, Drafts, SchemaField } from "../lib/schema-fields.ts";
import { CheckField, SelectField, TextField } from "./fields.tsx";

/** Length of a text from which its field has several lines. */
const MIN_LONG_LENGTH = 60;

/** Fields of a form for the properties of an object; JSON only for lists and objects. */
export function SchemaFields({
  fields,
  drafts,
  onDrafts,
  path,
  labels = {},
  describeOption = String,
}: {
  readonly fields: readonly SchemaField[];
  readonly drafts: Drafts;
  readonly onDrafts: (drafts: Drafts) => void;
  /** Path in the request body of the object that the fields edit, such as `params`; prefix of the fields' names. */
  readonly path: string;
  /** Labels by the names of the properties. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly describeOption?: (value: string | number | boolean) => string;
}) {
  return (
    <>
      {fields.map((field) => {
        const { name, title, description, type, isRequired, options } = field;
        const text = title ?? labels[name] ?? name.replaceAll("_", " ");
        const draft = drafts[name];
        const shared = {
          label: isRequired ? `${text} *` : text,
          name: `${path}.${name}`,
          hint: description ?? undefined,
          value: String(draft ?? ""),
          onValue: (next: Draft) => onDrafts({ ...drafts, [name]: next }),
        };
        if (type === "boolean") {
          return <CheckField key={name} {...shared} checked={draft === true} />;
        }
        if (type === "choice") {
          const empty: [string, string][] = isRequired && draft ? [] : [["", t("Not chosen")]];
          const choices = options.map((option) => [JSON.stringify(option), describeOption(option)] as const);
          return <SelectField key={name} {...shared} options={[...empty, ...choices]} />;
        }
        if (type === "json") {
          return <TextField key={name} {...shared} label={t("{name} (JSON)", { name: shared.label })} rows={5} />;
        }
        const isLong = type === "text" && (shared.value.length > MIN_LONG_LENGTH || shared.value.includes("\n"));
        return (
          <TextField
            key={name}
            {...shared}
            type={type === "date" ? "date" : "text"}
            inputMode={type === "integer" ? "numeric" : type === "number" ? "decimal" : undefined}
            rows={isLong ? 4 : undefined}
          />
        );
      })}
    </>
  );
}
