import type { VisitorField, VisitorForm } from "../../../../shared/api/embed/visitor-form.ts";
import { t } from "../lib/i18n.ts";
import type { Draft } from "../lib/schema-fields.ts";
import type { FormField } from "../ui/form-fields.tsx";

/** Matches a line with a field, such as `Name*`, `E-mail* (email)` or `Topic: Order, Return`. */
const line = /^([^*:(]+)(\*)?\s*(\(email\))?\s*(?::\s*(.+))?$/i;

/** Returns a name for a label, by which tools know the value. */
const toName = (label: string, index: number) =>
  label
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+|_+$/g, "")
    .slice(0, 40) || `field_${index + 1}`;

const toLine = ({ label, type, options, is_required }: VisitorField) =>
  [
    label,
    is_required ? "*" : "",
    type === "email" ? " (email)" : "",
    options.length > 0 ? `: ${options.join(", ")}` : "",
  ].join("");

/** Returns the fields of the lines. A label that stays the same keeps its name. */
function toFields(lines: readonly string[], before: readonly VisitorField[]): VisitorField[] {
  return lines.map((text, index) => {
    // The service refuses a line of another form, whose text is then its name.
    const [, name = "", star, email, choices = ""] = line.exec(text) ?? [];
    const label = name.trim();
    const options = choices.split(",").flatMap((option) => option.trim() || []);
    return {
      name: before.find((field) => field.label === label)?.name ?? (label === "" ? text : toName(label, index)),
      label: label || text,
      type: options.length > 0 ? "choice" : email ? "email" : "text",
      options,
      is_required: star !== undefined,
    };
  });
}

/** Returns the values with which the fields begin. */
export const toFormDrafts = (form: VisitorForm | null) => ({
  form: { fields: form?.fields.map(toLine) ?? [], consent: form?.consent ?? null },
});

/** Fields for the form that visitors fill in before a chat. */
export const visitorFormFields = (form: VisitorForm | null): readonly FormField<"form.fields" | "form.consent">[] => [
  {
    name: "form.fields",
    label: t("Form before the chat, one field per line"),
    hint: t("Such as Name*, E-mail* (email) or Topic: Order, Return. A star requires it. Empty for none."),
    rows: 3,
    parse: (draft: Draft) => {
      const lines = typeof draft === "string" ? draft.split("\n") : ((draft ?? []) as string[]);
      return toFields(
        lines.flatMap((text) => text.trim() || []),
        form?.fields ?? [],
      );
    },
  },
  {
    name: "form.consent",
    label: t("Sentence that visitors agree to before the chat"),
    hint: t("Such as how their data is used. Empty for none."),
  },
];
