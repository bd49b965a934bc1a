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
      "A regular expression that matches a part of the answer, in the syntax of RE2, which is that of JavaScript without look-around and back references.",
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
  v.strictObject({
    type: v.literal("similar"),
    text: Text,
    min_similarity: describe(
      v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 0.8),
      "The minimum similarity of the meaning of answer and text, from 0 to 1. Requires an embedding provider, which reads the first 2,400 characters of each.",
    ),
  }),
  v.strictObject({
    type: v.literal("judge"),
    rubric: describe(
      Text,
      "Requirements that a model checks, such as `Names the price and says that it includes tax.`",
    ),
    votes: describe(
      v.optional(v.picklist([1, 3, 5]), 1),
      "The number of judgments, of which the majority counts. Every second one reads the answer before the rubric, because models prefer what they read first.",
    ),
  }),
]);
export type Expectation = v.InferOutput<typeof Expectation>;

export const Expectations = v.pipe(v.array(Expectation), v.maxLength(20, "must have at most 20 entries"));
