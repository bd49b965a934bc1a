import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { OpenaiResponse } from "./answers.ts";
import { MAX_MEDIA_BODY_BYTES } from "./openai.ts";
import { ResponseItem } from "./response-items.ts";
import { ResponseStreamEvent } from "./stream-chunks.ts";

const ToolName = v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -"));

const FunctionTool = v.looseObject({
  type: v.literal("function"),
  name: ToolName,
  description: v.nullish(v.string()),
  parameters: v.nullish(v.record(v.string(), v.unknown())),
  strict: v.nullish(v.boolean()),
});

const CustomTool = v.looseObject({
  type: v.literal("custom"),
  name: ToolName,
  description: v.nullish(v.string()),
  format: v.nullish(v.looseObject({ type: v.picklist(["text", "grammar"]) })),
});

const webSearchTypes = [
  "web_search",
  "web_search_2025_08_26",
  "web_search_preview",
  "web_search_preview_2025_03_11",
] as const;

const MAX_TOOLS = 128;

const Tool = v.variant(
  "type",
  [
    FunctionTool,
    CustomTool,
    v.looseObject({
      type: v.literal("namespace"),
      name: ToolName,
      tools: v.pipe(
        v.array(v.variant("type", [FunctionTool, CustomTool], "must be function or custom")),
        v.maxLength(MAX_TOOLS, `must have at most ${MAX_TOOLS} entries`),
      ),
    }),
    v.looseObject({ type: v.picklist(webSearchTypes) }),
  ],
  "must be function, custom or namespace: tools that run at OpenAI are not supported",
);

const ToolChoice = v.union(
  [
    v.picklist(["none", "auto", "required"]),
    v.looseObject({
      type: v.picklist(["function", "custom"]),
      name: v.string(),
      namespace: v.nullish(v.string()),
    }),
    v.looseObject({
      type: v.literal("allowed_tools"),
      mode: v.picklist(["auto", "required"]),
      tools: v.array(v.looseObject({ name: v.string(), namespace: v.nullish(v.string()) })),
    }),
  ],
  "must be none, auto, required, a function, a custom tool or allowed_tools",
);

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

/**
 * Additional output. `message.output_text.logprobs` requests log probabilities. Reasoning is not encrypted: its items contain the
 * text. The others are details of calls and images that a response here never contains.
 */
const includable = [
  "message.output_text.logprobs",
  "reasoning.encrypted_content",
  "code_interpreter_call.outputs",
  "computer_call_output.output.image_url",
  "file_search_call.results",
  "message.input_image.image_url",
  "web_search_call.action.sources",
  "web_search_call.results",
] as const;

const unsupported = v.nullish(v.literal(false, "is not supported"));
const absent = v.nullish(v.never("is not supported"));

/** Body of `POST /openai/v1/responses`. */
export const ResponseRequest = v.strictObject({
  model: v.pipe(v.string(), v.minLength(1, "must not be empty")),
  input: v.union(
    [
      v.string(),
      v.pipe(
        v.array(ResponseItem),
        v.minLength(1, "must not be empty"),
        v.maxLength(10_000, "must have at most 10,000 entries"),
      ),
    ],
    "must be a string or a list of messages, tool calls, their outputs, reasoning items, compactions and references",
  ),
  instructions: v.nullish(v.string()),
  previous_response_id: v.nullish(v.string()),
  conversation: v.nullish(
    v.union([v.string(), v.object({ id: v.string() })], "must be the id of a conversation, or an object with it"),
  ),
  store: v.nullish(v.boolean()),
  stream: v.nullish(v.boolean(), false),
  stream_options: v.nullish(
    v.strictObject({
      include_obfuscation: v.nullish(v.literal(false, "is not supported")),
      /** The last event contains the usage in any case. */
      include_usage: v.nullish(v.boolean()),
    }),
  ),
  max_output_tokens: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1))),
  temperature: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(2))),
  top_p: v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  top_logprobs: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(20, "must be at most 20"))),
  tools: v.nullish(v.pipe(v.array(Tool), v.maxLength(MAX_TOOLS, `must have at most ${MAX_TOOLS} entries`))),
  tool_choice: v.nullish(ToolChoice),
  parallel_tool_calls: v.nullish(v.boolean()),
  text: v.nullish(v.strictObject({ format: v.nullish(TextFormat), verbosity: v.nullish(v.string()) })),
  reasoning: v.nullish(
    v.strictObject({
      effort: v.nullish(v.string()),
      summary: v.nullish(v.string()),
      /** Deprecated name of `summary`. */
      generate_summary: v.nullish(v.string()),
      context: v.nullish(v.literal("auto", "must be auto")),
      mode: v.nullish(v.literal("standard", "must be standard")),
    }),
  ),
  include: v.nullish(v.array(v.picklist(includable, "is unknown"))),
  truncation: v.nullish(v.literal("disabled", "must be disabled")),
  metadata: v.nullish(v.record(v.string(), v.string())),
  user: v.nullish(v.string()),
  safety_identifier: v.nullish(v.string()),
  service_tier: v.nullish(v.string()),
  prompt_cache_key: v.nullish(v.string()),
  prompt_cache_retention: v.nullish(v.string()),
  prompt_cache_options: v.nullish(v.looseObject({})),
  /** Data of the client about itself, without effect on the answer. */
  client_metadata: v.nullish(v.record(v.string(), v.unknown())),
  background: unsupported,
  access_programs: absent,
  context_management: absent,
  image: absent,
  moderation: absent,
  prompt: absent,
  max_tool_calls: absent,
});
export type ResponseRequest = v.InferOutput<typeof ResponseRequest>;

const route = routeGroup({ group: "openai", auth: "api-key", scope: "chat.completions" });

export const createResponseRoute = route("POST /openai/v1/responses", {
  id: "createResponse",
  streaming: true,
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  body: ResponseRequest,
  replyHeaders: ["AI-Disclosure", "X-Completion-Id"],
  chunk: { schemaName: "ResponseStreamEvent", schema: ResponseStreamEvent },
  replies: { 200: OpenaiResponse },
  errors: ["not_found", "context_length_exceeded", "quota_exceeded", "model_error", "model_overloaded", "unavailable"],
  summary: "Create a response",
  description:
    "Compatible with the responses API of OpenAI, with functions, custom tools, namespaces and structured outputs. Web search is left out of the tools, as the `tools` of the response show, and refused if it is the only one. A response is stored for `previous_response_id`, visible to the same key only, unless `store` is false.",
});

export const ResponseParams = v.object({ id: v.string() });

export const getResponseRoute = route("GET /openai/v1/responses/{id}", {
  id: "getResponse",
  params: ResponseParams,
  replies: { 200: OpenaiResponse },
  summary: "Get a response",
  description:
    "Returns a stored response of the same API key. It expires after 30 days, or earlier if the policy retains conversations for a shorter time.",
});

export const deleteResponseRoute = route("DELETE /openai/v1/responses/{id}", {
  id: "deleteResponse",
  params: ResponseParams,
  replies: { 200: v.object({ id: v.string(), object: v.literal("response"), deleted: v.literal(true) }) },
  summary: "Delete a response",
  description: "Responses that continue the deleted one keep their own copy of the conversation.",
});
