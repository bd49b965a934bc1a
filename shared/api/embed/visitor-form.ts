import * as v from "valibot";
import { describe, lineOf, textOfAtMost } from "../fields.ts";

const FieldName = v.pipe(
  v.string(),
  v.regex(/^[a-z][a-z0-9_]{0,39}$/, "must be 1 to 40 characters from a-z, 0-9 and _, starting with a letter"),
  v.examples(["topic"]),
);

const VisitorField = v.pipe(
  v.strictObject({
    name: FieldName,
    label: lineOf(100),
    type: v.optional(v.picklist(["text", "email", "choice"]), "text"),
    options: describe(
      v.optional(v.pipe(v.array(lineOf(100)), v.maxLength(20, "must have at most 20 entries")), []),
      "The values to choose from, with the type `choice`.",
    ),
    is_required: v.optional(v.boolean(), true),
  }),
  v.check(
    ({ type, options }) => (type === "choice") === options.length > 0,
    "must have options exactly with the type choice",
  ),
);
export type VisitorField = v.InferOutput<typeof VisitorField>;

/** Form that visitors of a website fill in before they start a chat. */
export const VisitorForm = v.strictObject({
  fields: v.pipe(
    v.array(VisitorField),
    v.minLength(1, "must have at least one field"),
    v.maxLength(8, "must have at most 8 fields"),
    v.check((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, "must have different names"),
  ),
  consent: describe(
    v.optional(v.nullable(textOfAtMost(500)), null),
    "A sentence that visitors agree to, such as how their data is used. Null for none.",
  ),
});
export type VisitorForm = v.InferOutput<typeof VisitorForm>;

/** Values that a visitor entered. */
export const VisitorInput = v.strictObject({
  values: v.record(FieldName, textOfAtMost(500)),
  consent: describe(v.optional(v.literal(true)), "The visitor agrees to `consent` of the form."),
});
export type VisitorInput = v.InferOutput<typeof VisitorInput>;

/** Values that a visitor entered, with the labels of the fields at that time. */
export const VisitorEntries = v.array(v.object({ name: v.string(), label: v.string(), value: v.string() }));
export type VisitorEntries = v.InferOutput<typeof VisitorEntries>;
