import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { AnthropicMessage } from "./answers.ts";
import { findOpenCall, MessageParam, SystemContent } from "./message-blocks.ts";
import { MessageStreamEvent } from "./message-events.ts";
import { MAX_MEDIA_BODY_BYTES } from "./openai.ts";

const ToolName = v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,128}$/, "must be 1 to 128 letters, digits, _ or -"));

const Tool = v.looseObject({
  type: v.nullish(v.literal("custom", "must be custom: tools that Anthropic defines are not supported")),
  name: ToolName,
  description: v.nullish(v.string()),
  input_schema: v.record(v.string(), v.unknown()),
  strict: v.nullish(v.boolean()),
});

const ToolChoice = v.variant("type", [
  v.looseObject({ type: v.picklist(["auto", "any"]), disable_parallel_tool_use: v.nullish(v.boolean()) }),
  v.looseObject({ type: v.literal("tool"), name: v.string(), disable_parallel_tool_use: v.nullish(v.boolean()) }),
  v.looseObject({ type: v.literal("none") }),
]);

const Thinking = v.variant("type", [
  v.looseObject({
    type: v.literal("enabled"),
    budget_tokens: v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1_024, "must be at least 1024")),
  }),
  v.looseObject({ type: v.picklist(["adaptive", "between_tools", "disabled"]) }),
]);

const fraction = v.nullish(v.pipe(v.number(), v.minValue(0, "must be at least 0"), v.maxValue(1, "must be at most 1")));
const absent = v.nullish(v.never("is not supported"));

/** Fields that determine the prompt, and so the number of its tokens. */
const promptFields = {
  model: v.pipe(v.string(), v.minLength(1, "must not be empty")),
  messages: v.pipe(
    v.array(MessageParam),
    v.minLength(1, "must contain at least one message"),
    v.check(
      (messages) => findOpenCall(messages) === undefined,
      ({ input }) => `must contain a tool_result for the tool_use ${findOpenCall(input)} in the next message`,
    ),
  ),
  system: v.nullish(SystemContent),
  tools: v.nullish(v.pipe(v.array(Tool), v.maxLength(128, "must have at most 128 entries"))),
  tool_choice: v.nullish(ToolChoice),
  thinking: v.nullish(Thinking),
  output_config: v.nullish(
    v.looseObject({
      effort: v.nullish(v.string()),
      format: v.nullish(v.looseObject({ type: v.literal("json_schema"), schema: v.record(v.string(), v.unknown()) })),
    }),
  ),
  /** Lets the prompt cache end after the last message, as blocks with it let it end after themselves. */
  cache_control: v.nullish(v.looseObject({})),
  /** Hints without effect on the answer, such as that clients shorten their conversations. */
  context_management: v.nullish(v.looseObject({})),
  diagnostics: v.nullish(v.looseObject({})),
  speed: v.nullish(v.picklist(["standard", "fast"])),
  container: absent,
  inference_geo: absent,
  thread: v.nullish(v.never("is not supported: send the whole conversation")),
  mcp_servers: v.nullish(v.pipe(v.array(v.unknown()), v.maxLength(0, "is not supported"))),
};

const MessageFields = v.strictObject({
  ...promptFields,
  max_tokens: v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1, "must be at least 1")),
  stream: v.nullish(v.boolean(), false),
  stop_sequences: v.nullish(v.array(v.string())),
  temperature: fraction,
  top_p: fraction,
  top_k: v.nullish(v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(0, "must be at least 0"))),
  metadata: v.nullish(v.looseObject({ user_id: v.nullish(v.string()) })),
  service_tier: v.nullish(v.picklist(["auto", "standard_only"])),
});

const fitsBudget = ({ max_tokens, thinking }: v.InferOutput<typeof MessageFields>): boolean =>
  thinking?.type !== "enabled" || thinking.budget_tokens < max_tokens;

/** Body of `POST /openai/v1/messages`. */
export const MessageRequest = v.pipe(
  MessageFields,
  v.forward(v.check(fitsBudget, "must be greater than the budget of thinking"), ["max_tokens"]),
);
export type MessageRequest = v.InferOutput<typeof MessageRequest>;

/** Body of `POST /openai/v1/messages/count_tokens`. */
export const TokenCountRequest = v.strictObject(promptFields);
export type TokenCountRequest = v.InferOutput<typeof TokenCountRequest>;

const route = routeGroup({ group: "openai", auth: "api-key", scope: "chat.completions" });

export const createAnthropicMessageRoute = route("POST /openai/v1/messages", {
  id: "createAnthropicMessage",
  streaming: true,
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  body: MessageRequest,
  replyHeaders: ["AI-Disclosure", "X-Completion-Id"],
  chunk: { schemaName: "MessageStreamEvent", schema: MessageStreamEvent },
  replies: { 200: AnthropicMessage },
  errors: ["not_found", "context_length_exceeded", "quota_exceeded", "model_error", "model_overloaded", "unavailable"],
  summary: "Create a message",
  description:
    "Compatible with the messages API of Anthropic, whose clients use the base URL `/openai`. `model` is the slug of a published, enabled persona. Tools that run at Anthropic are refused. Thinking contains what the provider streams as reasoning.",
});

export const countMessageTokensRoute = route("POST /openai/v1/messages/count_tokens", {
  id: "countMessageTokens",
  idempotency: "none",
  maxBodyBytes: MAX_MEDIA_BODY_BYTES,
  body: TokenCountRequest,
  replies: { 200: v.object({ input_tokens: v.pipe(v.number(), v.integer()) }) },
  errors: ["not_found"],
  summary: "Count the tokens of a message",
  description:
    "Compatible with the messages API of Anthropic. The count is an estimate at four characters a token, with the persona's instructions and without images and files.",
});
