import * as v from "valibot";
import { defineRoute } from "../define-route.ts";

const ContentPart = v.variant("type", [
  v.looseObject({ type: v.picklist(["input_text", "output_text", "text"]), text: v.string() }),
  v.looseObject({ type: v.literal("refusal"), refusal: v.string() }),
  v.looseObject({
    type: v.literal("input_image"),
    image_url: v.nullish(v.string()),
    detail: v.nullish(v.string()),
  }),
  v.looseObject({
    type: v.literal("input_file"),
    filename: v.nullish(v.string()),
    file_data: v.nullish(v.string()),
  }),
]);

const Content = v.union([v.string(), v.array(ContentPart)], "must be a string or a list of parts");

const Message = v.looseObject({
  type: v.optional(v.literal("message"), "message"),
  role: v.picklist(["user", "assistant", "system", "developer"]),
  content: Content,
});

const Item = v.union(
  [
    Message,
    v.variant("type", [
      v.looseObject({
        type: v.literal("function_call"),
        call_id: v.string(),
        name: v.string(),
        arguments: v.string(),
      }),
      v.looseObject({ type: v.literal("function_call_output"), call_id: v.string(), output: Content }),
      v.looseObject({ type: v.literal("reasoning") }),
    ]),
  ],
  "must be a message, a function call, its output or a reasoning item",
);
/** Item of a response's input. */
export type InputItem = v.InferOutput<typeof Item>;

const FunctionTool = v.looseObject({
  type: v.literal("function", "must be function: other tools are not supported"),
  name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")),
  description: v.nullish(v.string()),
  parameters: v.nullish(v.record(v.string(), v.unknown())),
  strict: v.nullish(v.boolean()),
});

const TextFormat = v.variant("type", [
  v.looseObject({ type: v.literal("text") }),
  v.looseObject({ type: v.literal("json_object") }),
  v.looseObject({
    type: v.literal("json_schema"),
    name: v.string(),
    description: v.nullish(v.string()),
    schema: v.record(v.string(), v.unknown()),
    strict: v.nullish(v.boolean()),
  }),
]);

const unsupported = v.nullish(v.literal(false, "is not supported"));
const absent = v.nullish(v.never("is not supported"));

/** Body of `POST /openai/v1/responses`. */
export const ResponseRequest = v.strictObject({
  model: v.pipe(v.string(), v.minLength(1, "must not be empty")),
  input: v.union(
    [v.string(), v.pipe(v.array(Item), v.minLength(1, "must not be empty"))],
    "must be a string or a list of messages, function calls, their outputs and reasoning items",
  ),
  instructions: v.nullish(v.string()),
  previous_response_id: v.nullish(v.string()),
  store: v.nullish(v.boolean()),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(v.looseObject({})),
  max_output_tokens: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  temperature: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(2))),
  top_p: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  top_logprobs: v.nullish(v.literal(0, "is not supported")),
  tools: v.nullish(v.pipe(v.array(FunctionTool), v.maxLength(128))),
  tool_choice: v.nullish(
    v.union(
      [v.picklist(["none", "auto", "required"]), v.looseObject({ type: v.literal("function"), name: v.string() })],
      "must be none, auto, required or a function",
    ),
  ),
  parallel_tool_calls: v.nullish(v.boolean()),
  text: v.nullish(v.looseObject({ format: v.nullish(TextFormat), verbosity: v.nullish(v.string()) })),
  reasoning: v.nullish(v.looseObject({ effort: v.nullish(v.string()), summary: v.nullish(v.string()) })),
  /** Additional output, such as `reasoning.encrypted_content`; the provider decides on what it returns. */
  include: v.nullish(v.array(v.string())),
  truncation: v.nullish(v.literal("disabled", "must be disabled")),
  metadata: v.nullish(v.record(v.string(), v.string())),
  user: v.nullish(v.string()),
  safety_identifier: v.nullish(v.string()),
  service_tier: v.nullish(v.string()),
  prompt_cache_key: v.nullish(v.string()),
  prompt_cache_retention: v.nullish(v.string()),
  background: unsupported,
  conversation: absent,
  prompt: absent,
  max_tool_calls: absent,
});
export type ResponseRequest = v.InferOutput<typeof ResponseRequest>;

export const createResponse = defineRoute({
  id: "createResponse",
  group: "openai",
  method: "POST",
  path: "/openai/v1/responses",
  auth: "api-key",
  scope: "chat.completions",
  streaming: true,
  body: ResponseRequest,
  replyHeaders: ["X-Completion-Id"],
  replies: { 200: v.looseObject({}) },
  errors: ["not_found", "context_length_exceeded", "model_error", "model_overloaded", "unavailable"],
  summary: "Create a response",
  description:
    "Compatible with the responses API of OpenAI, with function tools and structured outputs. A response is stored for `previous_response_id`, visible to the same key only, unless `store` is false.",
});

const storedResponse = {
  group: "openai",
  path: "/openai/v1/responses/{id}",
  auth: "api-key",
  scope: "chat.completions",
  params: v.object({ id: v.string() }),
  errors: ["not_found"],
} as const;

export const getResponse = defineRoute({
  ...storedResponse,
  id: "getResponse",
  method: "GET",
  replies: { 200: v.looseObject({ id: v.string() }) },
  summary: "Get a response",
  description:
    "Returns a stored response of the same API key. It expires after 30 days, or earlier if the policy retains conversations for a shorter time.",
});

export const deleteResponse = defineRoute({
  ...storedResponse,
  id: "deleteResponse",
  method: "DELETE",
  replies: { 200: v.object({ id: v.string(), object: v.literal("response"), deleted: v.literal(true) }) },
  summary: "Delete a response",
  description: "Responses that continue the deleted one keep their own copy of the conversation.",
});
