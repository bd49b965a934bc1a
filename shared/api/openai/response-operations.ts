import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Integer, limitParam } from "../fields.ts";
import { MAX_ITEMS_LENGTH, MEBIBYTE } from "../limits.ts";
import { ListedItem, OpenaiResponse } from "./answers.ts";
import { MAX_MEDIA_BODY_BYTES } from "./openai.ts";
import { ResponseParams, ResponseRequest } from "./responses.ts";

/** Page of items, as OpenAI's lists have it. */
export const ItemList = v.object({
  object: v.literal("list"),
  data: v.array(ListedItem),
  first_id: v.nullable(v.string()),
  last_id: v.nullable(v.string()),
  has_more: v.boolean(),
});
export type ItemList = v.InferOutput<typeof ItemList>;

export const ItemListQuery = v.object({
  after: v.optional(describe(v.pipe(v.string(), v.maxLength(200)), "Id of the item before the page.")),
  limit: limitParam(100, 20),
  order: v.optional(v.picklist(["asc", "desc"]), "desc"),
});
export type ItemListQuery = v.InferOutput<typeof ItemListQuery>;

const route = routeGroup({ group: "openai", auth: "api-key", scope: "chat.completions" });

export const listResponseItemsRoute = route("GET /openai/v1/responses/{id}/input_items", {
  params: ResponseParams,
  id: "listResponseItems",
  query: ItemListQuery,
  replies: { 200: ItemList },
  summary: "List the input of a response",
  description: `Returns the items that the model received for a stored response, with those of earlier responses that it continues. Their ids name their place and cannot be referred to. A page ends early at ${MAX_ITEMS_LENGTH / MEBIBYTE} MiB.`,
});

export const cancelResponseRoute = route("POST /openai/v1/responses/{id}/cancel", {
  params: ResponseParams,
  id: "cancelResponse",
  idempotency: "none",
  replies: { 200: OpenaiResponse },
  errors: ["conflict"],
  summary: "Cancel a response",
  description:
    "Stops a streamed response of the same API key within two seconds; its stream ends with an error whose code is `completion_canceled`. A response that is not streamed can be stopped after 40 seconds, when it starts with the header `X-Completion-Id`. The reply repeats nothing of the request, because a response is stored when it is complete; a stored one gets 409.",
});

const { input, instructions, previous_response_id, conversation, tools, tool_choice, text, reasoning } =
  ResponseRequest.entries;
const { parallel_tool_calls } = ResponseRequest.entries;

export const countResponseTokensRoute = route("POST /openai/v1/responses/input_tokens", {
  id: "countResponseTokens",
  idempotency: "none",
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  body: v.strictObject({
    model: v.nullish(v.string()),
    input: v.nullish(input, ""),
    ...{ instructions, previous_response_id, conversation, tools, tool_choice, text, reasoning, parallel_tool_calls },
    personality: v.nullish(v.string()),
    truncation: v.nullish(v.picklist(["auto", "disabled"])),
  }),
  replies: { 200: v.object({ object: v.literal("response.input_tokens"), input_tokens: Integer }) },
  errors: ["not_found"],
  summary: "Count the input tokens of a response",
  description:
    "Estimates the tokens of a request with the instructions of its persona, at four characters a token, without images and files.",
});

const { prompt_cache_key, prompt_cache_options, prompt_cache_retention, service_tier, model } = ResponseRequest.entries;

export const CompactRequest = v.strictObject({
  model,
  input: v.nullish(input, []),
  ...{ instructions, previous_response_id, prompt_cache_key, prompt_cache_options, prompt_cache_retention },
  service_tier,
});
export type CompactRequest = v.InferOutput<typeof CompactRequest>;

export const compactResponseRoute = route("POST /openai/v1/responses/compact", {
  id: "compactResponse",
  streaming: true,
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  body: CompactRequest,
  replies: {
    200: v.object({
      id: v.string(),
      object: v.literal("response.compaction"),
      created_at: Integer,
      output: v.array(ListedItem),
      usage: v.looseObject({}),
    }),
  },
  errors: ["not_found", "context_length_exceeded", "quota_exceeded", "model_error", "model_overloaded", "unavailable"],
  summary: "Compact a conversation",
  description:
    "Lets the persona's model summarize the conversation. The output is the user's messages and an item `compaction` with the encrypted summary; send it as the input of the next request, followed by new items. Only keys of the same tenant can use it, while the secret of the deployment is recent.",
});
