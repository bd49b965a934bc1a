import * as v from "valibot";
import { describe, textOfAtMost } from "../fields.ts";

const Option = v.object({ value: v.string(), label: v.string() });

/** Field of a question's form. */
export const QuestionField = v.object({
  name: v.string(),
  title: v.string(),
  description: v.nullable(v.string()),
  type: v.picklist(["text", "number", "integer", "boolean", "choice", "choices"]),
  required: v.boolean(),
  format: v.optional(v.picklist(["email", "uri", "date", "date-time"])),
  minimum: describe(
    v.optional(v.number()),
    "The smallest number, the shortest length of a text, or the fewest choices.",
  ),
  maximum: describe(v.optional(v.number()), "The same for the largest number, length or count."),
  options: describe(v.optional(v.array(Option)), "Only with the types `choice` and `choices`."),
  default: v.optional(v.union([v.string(), v.number(), v.boolean(), v.array(v.string())])),
});
export type QuestionField = v.InferOutput<typeof QuestionField>;

/** Question to the user, of a tool server while it executes a call or of the assistant. */
export const Question = v.object({
  key: v.string(),
  server_name: describe(v.nullable(v.string()), "Null for a question of the assistant itself."),
  message: v.string(),
  url: describe(
    v.nullable(v.string()),
    "An address that the user should open, such as for a payment. Null for a form.",
  ),
  fields: v.array(QuestionField),
});
export type Question = v.InferOutput<typeof Question>;

/** Answer of a user to a question. `decline` refuses it, `cancel` dismisses it without a choice. */
export const QuestionAnswer = v.strictObject({
  action: v.picklist(["accept", "decline", "cancel"]),
  content: describe(
    v.optional(
      v.pipe(
        v.record(
          v.string(),
          v.union([
            textOfAtMost(4_000),
            v.number(),
            v.boolean(),
            v.pipe(v.array(v.string()), v.maxLength(100, "must have at most 100 entries")),
          ]),
        ),
        v.check((content) => Object.keys(content).length <= 50, "must have at most 50 fields"),
      ),
    ),
    "The values of the fields by their names; only with `accept` and a form.",
  ),
});
export type QuestionAnswer = v.InferOutput<typeof QuestionAnswer>;
