import type { VisitorField, VisitorForm } from "../../../../shared/api/embed/visitor-form.ts";
import { t } from "../lib/i18n.ts";
import type { Draft } from "../lib/schema-fields.ts";
import type { FormField } from "../ui/form-fields.tsx";

/** Returns a name for a label, by which tools know the value. */
function toName(label: string, index: number): string {
  const words =
    label
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name = words
    .join("_")
    .replace(/^[0-9_]+/, "")
    .slice(0, 40);
  return name || `field_${index + 1}`;
}

const toLine = ({ label, type, options, is_required }: VisitorField) =>
  [
    label,
    is_required ? "*" : "",
    type === "email" ? " (email)" : "",
    options.length > 0 ? `: ${options.join(", ")}` : "",
  ].join("");

/** Returns the fields of lines such as `Name*`, `E-mail* (email)` or `Topic: Order, Return`. A label that stays the same keeps its name. */
function toFields(lines: readonly string[], before: readonly VisitorField[]): VisitorField[] {
  return lines.map((text, index) => {
    const [head = "", ...rest] = text.split(":");
    const options = rest
      .join(":")
      .split(",")
      .flatMap((option) => option.trim() || []);
    const withoutType = head.replace("(email)", "");
    const label = withoutType.replace("*", "").trim();
    return {
      name: before.find((field) => field.label === label)?.name ?? toName(label, index),
      label,
      type: options.length > 0 ? "choice" : withoutType === head ? "text" : "email",
      options,
      is_required: withoutType.includes("*"),
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
