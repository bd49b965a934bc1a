import * as v from "valibot";
import { describe, Id, nonEmptyText } from "../fields.ts";
import { JsonObject } from "../json.ts";

const Text = nonEmptyText(2_000);

const IgnoresCase = describe(v.optional(v.boolean(), true), "False to tell upper and lower case apart.");

/** Requirement for the answer to a test item. */
export const Expectation = v.variant("type", [
  v.strictObject({ type: v.literal("contains"), text: Text, ignore_case: IgnoresCase }),
  v.strictObject({ type: v.literal("not_contains"), text: Text, ignore_case: IgnoresCase }),
  v.strictObject({
    type: v.literal("regex"),
    pattern: describe(
      Text,
      "A regular expression that matches a part of the answer, in the syntax of JavaScript without look-around and back references.",
    ),
    ignore_case: IgnoresCase,
  }),
  v.strictObject({
    type: v.literal("json_schema"),
    schema: describe(
      JsonObject,
      "A JSON schema (2020-12) of the answer, or of its first block of code that is JSON. Keywords that are not checked are refused.",
    ),
  }),
  v.strictObject({
    type: v.literal("cites"),
    document_id: describe(v.optional(v.nullable(Id), null), "The document to cite. Null for any source."),
  }),
  v.strictObject({ type: v.literal("refuses") }),
  v.strictObject({
    type: v.literal("tool_call"),
    tool: nonEmptyText(128),
    arguments: describe(
      v.optional(JsonObject, {}),
      "Arguments that the call must have. It may have others, also in nested objects.",
    ),
  }),
]);
export type Expectation = v.InferOutput<typeof Expectation>;

export const Expectations = v.pipe(v.array(Expectation), v.maxLength(20, "must have at most 20 entries"));
