import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import {
  Cursor,
  describe,
  Id,
  IdParams,
  Integer,
  Limit,
  nonEmptyText,
  PathId,
  pageOf,
  Timestamp,
  textOfAtMost,
} from "../fields.ts";
import { MEBIBYTE } from "../limits.ts";
import { Expectations } from "./expectations.ts";

/** Maximum number of items that one request adds. */
export const MAX_ADDED_ITEMS = 1_000;

/** Maximum length of an item as JSON. In UTF-8, it stays below the 400 KB that DynamoDB allows per item. */
export const MAX_ITEM_CHARACTERS = 100_000;

const Text = textOfAtMost(MAX_ITEM_CHARACTERS);

const ContextMessage = v.strictObject({ role: v.picklist(["user", "assistant"]), text: Text });

const ContextFile = v.strictObject({ name: nonEmptyText(255), text: Text });

const ContextPassage = v.strictObject({
  title: textOfAtMost(1_000),
  text: Text,
  uri: v.optional(v.nullable(textOfAtMost(2_000)), null),
  collection_id: v.optional(v.nullable(Id), null),
  document_id: describe(
    v.optional(v.nullable(Id), null),
    "The document of the passage. Who may not read it gets the item without the passage.",
  ),
});
export type ContextPassage = v.InferOutput<typeof ContextPassage>;

const ContextToolResult = v.strictObject({
  tool: nonEmptyText(128),
  input: describe(v.optional(Text, "{}"), "The arguments of the call, as JSON."),
  result: Text,
});

const atMost = <const Schema extends v.GenericSchema>(schema: Schema, entries: number) =>
  v.optional(v.pipe(v.array(schema), v.maxLength(entries, `must have at most ${entries} entries`)), []);

/** Context in which the assistant gets the question of an item. */
export const TestContext = v.strictObject({
  messages: describe(atMost(ContextMessage, 100), "The conversation before the question, oldest first."),
  files: describe(atMost(ContextFile, 20), "The attached files, as text."),
  passages: describe(
    v.optional(v.nullable(v.pipe(v.array(ContextPassage), v.maxLength(50, "must have at most 50 entries"))), null),
    "The passages that the search found. Null if they were not recorded, so that a run searches.",
  ),
  tool_results: describe(atMost(ContextToolResult, 50), "The results of tools, in the order of their calls."),
});
export type TestContext = v.InferOutput<typeof TestContext>;

const newItemFields = {
  question: nonEmptyText(32_000),
  context: v.optional(TestContext, {}),
  expectations: v.optional(Expectations, []),
  note: v.optional(textOfAtMost(2_000), ""),
};

export const NewTestItem = v.pipe(
  v.strictObject(newItemFields),
  v.check((item) => JSON.stringify(item).length <= MAX_ITEM_CHARACTERS, "must have at most 100,000 characters as JSON"),
);
export type NewTestItem = v.InferOutput<typeof NewTestItem>;

/** Question with its context and what is expected of the answer. */
export const TestItem = v.object({
  id: describe(Id, "Derived from question and context, so that a set has an item once."),
  set_id: Id,
  question: v.string(),
  context: TestContext,
  expectations: Expectations,
  note: v.string(),
  source: describe(
    v.nullable(v.object({ conversation_id: Id, message_id: Id })),
    "The answer from which the item was made. Only those who may read its conversation get the item, which is deleted with it.",
  ),
  author_id: v.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type TestItem = v.InferOutput<typeof TestItem>;

const route = routeGroup({ group: "personas", auth: "jwt" });

const ItemParams = v.object({ id: PathId, test_item_id: PathId });

export const listTestItemsRoute = route("GET /v1/test-sets/{id}/items", {
  id: "listTestItems",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("items", TestItem) },
  errors: ["forbidden"],
  summary: "List the items of a test set",
  description:
    "Returns the items in a fixed order. Items from conversations that the caller may not read now are left out, and so are passages of such documents.",
});

export const addTestItemsRoute = route("POST /v1/test-sets/{id}/items", {
  id: "addTestItems",
  params: IdParams,
  maxBodyBytes: 4 * MEBIBYTE,
  body: v.pipe(
    v.strictObject({
      message: describe(
        v.optional(
          v.strictObject({
            conversation_id: Id,
            message_id: Id,
            expectations: newItemFields.expectations,
            note: newItemFields.note,
          }),
        ),
        "An answer that the caller may read. The item gets its question, the conversation before it, the files, and the passages and tool results that the answer was given. Results of tools are recorded for a day.",
      ),
      items: v.optional(
        v.pipe(v.array(NewTestItem), v.maxLength(MAX_ADDED_ITEMS, `must have at most ${MAX_ADDED_ITEMS} entries`)),
      ),
      lines: describe(
        v.optional(v.strictObject({ format: v.picklist(["jsonl", "csv"]), text: v.string() })),
        "JSON Lines with an item on each line, or CSV with a header line. Its columns are `question`, `note`, `contains`, `not_contains`, `cites` and `refuses`; the latter two are `true` or empty.",
      ),
    }),
    v.check(
      (body) => Object.values(body).filter((value) => value !== undefined).length === 1,
      "must have one of message, items and lines",
    ),
  ),
  replies: {
    200: v.object({
      added: describe(v.array(Id), "The ids of the new items."),
      duplicates: describe(Integer, "Items with a question and context that the set, or the request, has already."),
      invalid: v.array(
        v.object({ index: describe(Integer, "The position of the item or line, from 0."), message: v.string() }),
      ),
    }),
  },
  errors: ["forbidden", "conflict"],
  summary: "Add items to a test set",
  description:
    "Adds items of one source. The guardrail of the organization redacts their texts. An answer that the set has already is a 409; of several items, those that are new are added.",
});

export const updateTestItemRoute = route("PATCH /v1/test-sets/{id}/items/{test_item_id}", {
  id: "updateTestItem",
  params: ItemParams,
  body: v.strictObject({
    expectations: v.optional(Expectations),
    note: v.optional(textOfAtMost(2_000)),
  }),
  replies: { 200: TestItem },
  errors: ["forbidden"],
  summary: "Update an item of a test set",
  description: "Changes what is expected. Question and context cannot be changed.",
});

export const deleteTestItemRoute = route("DELETE /v1/test-sets/{id}/items/{test_item_id}", {
  id: "deleteTestItem",
  params: ItemParams,
  errors: ["forbidden"],
  summary: "Delete an item of a test set",
});
