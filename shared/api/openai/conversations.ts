import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Integer } from "../fields.ts";
import { MAX_ITEMS_LENGTH, MEBIBYTE } from "../limits.ts";
import { ListedItem } from "./answers.ts";
import { MAX_MEDIA_BODY_BYTES } from "./openai.ts";
import { ResponseItem } from "./response-items.ts";
import { ItemList, ItemListQuery } from "./response-operations.ts";

const MAX_METADATA_ENTRIES = 16;

const Metadata = v.pipe(
  v.record(v.pipe(v.string(), v.maxLength(64)), v.pipe(v.string(), v.maxLength(512))),
  v.check(
    (metadata) => Object.keys(metadata).length <= MAX_METADATA_ENTRIES,
    `must have at most ${MAX_METADATA_ENTRIES} entries`,
  ),
);

const Items = v.pipe(v.array(ResponseItem), v.maxLength(20, "must have at most 20 entries"));

const OpenaiConversation = v.object({
  id: v.string(),
  object: v.literal("conversation"),
  created_at: Integer,
  metadata: v.record(v.string(), v.string()),
});
export type OpenaiConversation = v.InferOutput<typeof OpenaiConversation>;

const route = routeGroup({
  group: "openai",
  auth: "api-key",
  scope: "chat.completions",
  idempotency: "none",
});

const params = v.object({ id: v.string() });
const itemParams = v.object({ id: v.string(), item_id: v.string() });

export const createOpenaiConversationRoute = route("POST /openai/v1/conversations", {
  id: "createOpenaiConversation",
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  body: v.strictObject({ items: v.nullish(Items, []), metadata: v.nullish(Metadata, {}) }),
  replies: { 200: OpenaiConversation },
  summary: "Create a conversation of an API key",
  description:
    "Compatible with the conversations API of OpenAI. A request for a response names it as `conversation`: the model receives its items, and input and output are added to it. Only the same key can use it. Each item expires 30 days after it was added, or earlier if the policy retains conversations for a shorter time.",
});

export const getOpenaiConversationRoute = route("GET /openai/v1/conversations/{id}", {
  id: "getOpenaiConversation",
  params,
  replies: { 200: OpenaiConversation },
  summary: "Get a conversation of an API key",
});

export const updateOpenaiConversationRoute = route("POST /openai/v1/conversations/{id}", {
  id: "updateOpenaiConversation",
  params,
  body: v.strictObject({ metadata: v.nullable(Metadata) }),
  replies: { 200: OpenaiConversation },
  summary: "Replace the metadata of a conversation of an API key",
});

export const deleteOpenaiConversationRoute = route("DELETE /openai/v1/conversations/{id}", {
  id: "deleteOpenaiConversation",
  params,
  replies: { 200: v.object({ id: v.string(), object: v.literal("conversation.deleted"), deleted: v.literal(true) }) },
  summary: "Delete a conversation of an API key",
  description: "Deletes the conversation with its items. Stored responses keep their own copies.",
});

export const listConversationItemsRoute = route("GET /openai/v1/conversations/{id}/items", {
  id: "listConversationItems",
  params,
  query: ItemListQuery,
  replies: { 200: ItemList },
  summary: "List the items of a conversation of an API key",
  description: `A page ends early at ${MAX_ITEMS_LENGTH / MEBIBYTE} MiB.`,
});

export const createConversationItemsRoute = route("POST /openai/v1/conversations/{id}/items", {
  id: "createConversationItems",
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  params,
  body: v.strictObject({ items: Items }),
  replies: { 200: ItemList },
  summary: "Add items to a conversation of an API key",
  description: `Adds up to 20 items. A conversation of more than ${MAX_ITEMS_LENGTH / MEBIBYTE} MiB takes no more.`,
});

export const getConversationItemRoute = route("GET /openai/v1/conversations/{id}/items/{item_id}", {
  id: "getConversationItem",
  params: itemParams,
  replies: { 200: ListedItem },
  summary: "Get an item of a conversation of an API key",
});

export const deleteConversationItemRoute = route("DELETE /openai/v1/conversations/{id}/items/{item_id}", {
  id: "deleteConversationItem",
  params: itemParams,
  replies: { 200: OpenaiConversation },
  summary: "Delete an item of a conversation of an API key",
  description: "Returns the conversation.",
});
