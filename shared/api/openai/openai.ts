import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Integer, wholeNumber } from "../fields.ts";
import { ChatCompletionAnswer } from "./answers.ts";
import { ChatCompletionChunk } from "./stream-chunks.ts";

const TextPart = v.looseObject({ type: v.literal("text"), text: v.string() });
const RefusalPart = v.looseObject({ type: v.literal("refusal"), refusal: v.string() });
const ImagePart = v.looseObject({ type: v.literal("image_url"), image_url: v.looseObject({ url: v.string() }) });
const AudioPart = v.looseObject({
  type: v.literal("input_audio"),
  input_audio: v.looseObject({ data: v.string(), format: v.string() }),
});
const FilePart = v.looseObject({ type: v.literal("file"), file: v.looseObject({}) });

/** Message text: a string or a list of text parts. */
const Text = v.union([v.string(), v.array(TextPart)], "must be a string or a list of text parts");

const UserContent = v.union(
  [v.string(), v.array(v.variant("type", [TextPart, ImagePart, AudioPart, FilePart]))],
  "must be a string or a list of text, image, audio and file parts",
);

const AssistantContent = v.union(
  [v.string(), v.array(v.variant("type", [TextPart, RefusalPart]))],
  "must be a string or a list of text and refusal parts",
);

const CalledFunction = v.looseObject({ name: v.string(), arguments: v.string() });

const ToolCall = v.variant("type", [
  v.looseObject({ id: v.string(), type: v.literal("function"), function: CalledFunction }),
  v.looseObject({
    id: v.string(),
    type: v.literal("custom"),
    custom: v.looseObject({ name: v.string(), input: v.string() }),
  }),
]);

const ChatMessage = v.variant("role", [
  v.looseObject({ role: v.picklist(["system", "developer"]), content: Text, name: v.nullish(v.string()) }),
  v.looseObject({ role: v.literal("user"), content: UserContent, name: v.nullish(v.string()) }),
  v.looseObject({
    role: v.literal("assistant"),
    content: v.nullish(AssistantContent),
    refusal: v.nullish(v.string()),
    name: v.nullish(v.string()),
    tool_calls: v.nullish(v.array(ToolCall)),
    function_call: v.nullish(CalledFunction),
  }),
  v.looseObject({ role: v.literal("tool"), content: Text, tool_call_id: v.string() }),
  v.looseObject({ role: v.literal("function"), content: v.nullish(v.string()), name: v.string() }),
]);
export type ChatMessage = v.InferOutput<typeof ChatMessage>;

const FunctionName = v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -"));

const FunctionTool = v.looseObject({
  type: v.literal("function"),
  function: v.looseObject({
    name: FunctionName,
    description: v.nullish(v.string()),
    parameters: v.nullish(v.record(v.string(), v.unknown())),
    strict: v.nullish(v.boolean()),
  }),
});
const CustomTool = v.looseObject({ type: v.literal("custom"), custom: v.looseObject({ name: v.string() }) });

const ToolChoice = v.union(
  [
    v.picklist(["none", "auto", "required"]),
    v.looseObject({ type: v.literal("function"), function: v.looseObject({ name: v.string() }) }),
    v.looseObject({ type: v.picklist(["allowed_tools", "custom"]) }),
  ],
  "must be none, auto, required or a function",
);

const ResponseFormat = v.variant("type", [
  v.looseObject({ type: v.literal("text") }),
  v.looseObject({ type: v.literal("json_object") }),
  v.looseObject({
    type: v.literal("json_schema"),
    json_schema: v.looseObject({
      name: v.string(),
      description: v.nullish(v.string()),
      schema: v.nullish(v.record(v.string(), v.unknown())),
      strict: v.nullish(v.boolean()),
    }),
  }),
]);

const optionalNumber = (from: number, to: number) =>
  v.nullish(v.pipe(v.number(), v.minValue(from, `must be at least ${from}`), v.maxValue(to, `must be at most ${to}`)));
const optionalCount = v.nullish(
  v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1, "must be at least 1")),
);
const MAX_CHOICES = 16;

/** Size limit of requests that may contain images, audio and files. Lambda takes events of 6 MB. */
export const MAX_MEDIA_BODY_BYTES = 3 * 1_048_576;

/**
 * Body of `POST /openai/v1/chat/completions`. The table in `shared/openai/request-fields.ts` decides on every field,
 * including those that are not listed here.
 */
export const ChatCompletionRequest = v.looseObject({
  model: v.pipe(v.string(), v.minLength(1, "must not be empty")),
  messages: v.pipe(v.array(ChatMessage), v.minLength(1, "must contain at least one message")),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(
    v.looseObject({ include_usage: v.nullish(v.boolean(), false), include_obfuscation: v.nullish(v.boolean()) }),
  ),
  temperature: optionalNumber(0, 2),
  top_p: optionalNumber(0, 1),
  frequency_penalty: optionalNumber(-2, 2),
  presence_penalty: optionalNumber(-2, 2),
  logit_bias: v.nullish(v.record(v.string(), v.number())),
  logprobs: v.nullish(v.boolean()),
  top_logprobs: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(20, "must be at most 20"))),
  max_tokens: optionalCount,
  max_completion_tokens: optionalCount,
  n: v.nullish(wholeNumber(1, MAX_CHOICES)),
  stop: v.nullish(v.union([v.string(), v.pipe(v.array(v.string()), v.maxLength(4, "must have at most 4 entries"))])),
  seed: v.nullish(v.pipe(v.number(), v.integer("must be a whole number"))),
  user: v.nullish(v.string()),
  metadata: v.nullish(v.record(v.string(), v.string())),
  reasoning_effort: v.nullish(v.string()),
  verbosity: v.nullish(v.string()),
  service_tier: v.nullish(v.string()),
  parallel_tool_calls: v.nullish(v.boolean()),
  store: v.nullish(v.boolean()),
  tools: v.nullish(
    v.pipe(v.array(v.variant("type", [FunctionTool, CustomTool])), v.maxLength(128, "must have at most 128 entries")),
  ),
  tool_choice: v.nullish(ToolChoice),
  response_format: v.nullish(ResponseFormat),
});
export type ChatCompletionRequest = v.InferOutput<typeof ChatCompletionRequest>;

const Model = v.object({
  id: v.string(),
  object: v.literal("model"),
  created: Integer,
  owned_by: v.string(),
  capabilities: describe(
    v.object({
      input: v.array(v.picklist(["text", "image", "audio", "file"])),
      context_window: describe(v.nullable(Integer), "Tokens of prompt and answer together. Null if not configured."),
    }),
    "Inputs that the model takes, and its context window. OpenAI has no such field.",
  ),
});

/** Model in Anthropic's schema, for requests with the header `anthropic-version`. */
const ModelInfo = v.object({
  type: v.literal("model"),
  id: v.string(),
  display_name: v.string(),
  created_at: v.string(),
  max_input_tokens: v.nullable(Integer),
});
const ModelPage = v.object({
  data: v.array(ModelInfo),
  first_id: v.nullable(v.string()),
  last_id: v.nullable(v.string()),
  has_more: v.boolean(),
});

const route = routeGroup({ group: "openai", auth: "api-key" });

export const createChatCompletionRoute = route("POST /openai/v1/chat/completions", {
  id: "createChatCompletion",
  scope: "chat.completions",
  streaming: true,
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  body: ChatCompletionRequest,
  replyHeaders: ["AI-Disclosure", "X-Completion-Id"],
  chunk: { schemaName: "ChatCompletionChunk", schema: ChatCompletionChunk },
  replies: { 200: ChatCompletionAnswer },
  errors: ["not_found", "context_length_exceeded", "quota_exceeded", "model_error", "model_overloaded", "unavailable"],
  summary: "Create a chat completion",
  description:
    "Compatible with the chat completions API of OpenAI. `model` is the slug of a published, enabled persona.",
});

export const cancelChatCompletionRoute = route("POST /openai/v1/chat/completions/{id}/cancel", {
  id: "cancelChatCompletion",
  scope: "chat.completions",
  idempotency: "none",
  params: v.object({ id: describe(v.string(), "Id of a completion of the same API key.") }),
  replies: {
    200: v.object({
      id: v.string(),
      object: v.literal("chat.completion.cancellation"),
      status: describe(
        v.literal("requested"),
        "The model stops within two seconds, unless the completion has already ended.",
      ),
    }),
  },
  summary: "Cancel a chat completion",
  description:
    "Stops a streamed chat completion, text completion or response of the same API key; OpenAI has no such endpoint. The stream ends with an error whose code is `completion_canceled`. The response header `X-Completion-Id` of a stream contains the id, so that it is known before the first chunk. Repeated requests have no further effect.",
});

export const listModelsRoute = route("GET /openai/v1/models", {
  id: "listModels",
  scope: "models.read",
  replies: { 200: v.union([v.object({ object: v.literal("list"), data: v.array(Model) }), ModelPage]) },
  summary: "List models",
  description:
    "Returns the published personas that the API key can access, and the embedding model if one is configured. With the header `anthropic-version`, the list is that of Anthropic's API and contains personas only.",
});

export const getModelRoute = route("GET /openai/v1/models/{id}", {
  id: "getModel",
  scope: "models.read",
  params: v.object({ id: v.string() }),
  replies: { 200: v.union([Model, ModelInfo]) },
  summary: "Get a model",
  description: "With the header `anthropic-version`, the model has the form of Anthropic's API.",
});
