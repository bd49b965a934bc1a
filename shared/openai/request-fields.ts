import type { ChatCompletionRequest } from "../api/openai/openai.ts";
import { type FieldError, invalidFields } from "../lib/errors.ts";
import type { UnknownFields } from "../models/model-settings.ts";

/**
 * Handling of a request field:
 * - `passed`: sent to the provider as it is,
 * - `translated`: sent in the provider's terms,
 * - `honored`: implemented by this service and not sent,
 * - `hint`: accepted but not sent, because the answer does not depend on it,
 * - `refused`: a 400 names the field, unless its value is in `neutral`.
 */
type Handling = "passed" | "translated" | "honored" | "hint" | "refused";

interface FieldRule {
  /** Handling for OpenAI-compatible providers. */
  readonly compatible: Handling;
  /** Handling for Bedrock, which the AI SDK's interface adapts. */
  readonly adapted: Handling;
  /** Values, as JSON, that mean the same as omitting a refused field. */
  readonly neutral?: readonly string[];
}

const passed = (adapted: Handling, ...neutral: string[]): FieldRule => ({ compatible: "passed", adapted, neutral });
const honored: FieldRule = { compatible: "honored", adapted: "honored" };
const translated: FieldRule = { compatible: "translated", adapted: "translated" };
const refused = (...neutral: string[]): FieldRule => ({ compatible: "refused", adapted: "refused", neutral });

/**
 * Handling of each field of the chat completions request. Fields that are not listed are refused, as at OpenAI, unless
 * the model's `unknown_fields` allows them: at a provider that is a gateway, they could select another model, route or
 * credential.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 */
const requestFields: Readonly<Record<string, FieldRule>> = {
  model: translated,
  messages: translated,
  stream: honored,
  stream_options: honored,
  audio: passed("refused"),
  frequency_penalty: passed("translated"),
  function_call: passed("refused", '"auto"', '"none"'),
  functions: passed("refused", "[]"),
  logit_bias: passed("refused", "{}"),
  logprobs: passed("refused", "false"),
  max_completion_tokens: passed("translated"),
  max_tokens: passed("translated"),
  metadata: passed("hint"),
  modalities: passed("refused", '["text"]'),
  moderation: passed("refused"),
  n: passed("refused", "1"),
  parallel_tool_calls: passed("refused", "true"),
  prediction: passed("hint"),
  presence_penalty: passed("translated"),
  prompt_cache_key: passed("hint"),
  prompt_cache_options: passed("hint"),
  prompt_cache_retention: passed("hint"),
  reasoning_effort: passed("translated"),
  response_format: passed("translated"),
  safety_identifier: passed("hint"),
  seed: passed("translated"),
  service_tier: passed("hint"),
  stop: passed("translated"),
  store: refused("false"),
  temperature: passed("translated"),
  tool_choice: passed("translated"),
  tools: passed("translated", "[]"),
  top_logprobs: passed("refused", "0"),
  top_p: passed("translated"),
  user: passed("hint"),
  verbosity: passed("refused", '"medium"'),
  web_search_options: passed("refused"),
  // Fields beyond OpenAI's that common servers read: vLLM, SGLang, llama.cpp, Ollama, DeepSeek and Qwen.
  chat_template_kwargs: passed("refused"),
  enable_thinking: passed("refused"),
  guided_choice: passed("refused"),
  guided_grammar: passed("refused"),
  guided_json: passed("refused"),
  guided_regex: passed("refused"),
  ignore_eos: passed("refused", "false"),
  length_penalty: passed("refused", "1"),
  min_p: passed("refused", "0"),
  min_tokens: passed("refused", "0"),
  reasoning: passed("refused"),
  repetition_penalty: passed("refused", "1"),
  skip_special_tokens: passed("refused", "true"),
  stop_token_ids: passed("refused", "[]"),
  structured_outputs: passed("refused"),
  thinking: passed("refused"),
  top_a: passed("refused", "0"),
  top_k: passed("translated", "-1"),
};

const unknownField = (path: string): FieldError => ({
  path,
  location: "body",
  code: "unknown_field",
  message: "is not a known field",
});

const refusedField = (path: string): FieldError => ({
  path,
  location: "body",
  code: "unsupported_parameter",
  message: path === "store" ? "completions are not stored" : "is not supported with this model",
});

/**
 * Returns the fields of a request that are sent to the provider unchanged, and checks all others.
 * @param provider column of `requestFields` to apply
 * @param unknown handling of fields that `requestFields` does not list
 * @throws ServiceError `validation_failed` that names each refused field
 */
export function selectFields(
  request: ChatCompletionRequest,
  provider: "compatible" | "adapted",
  unknown: UnknownFields = "refuse",
): Record<string, unknown> {
  const selected: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(request)) {
    const rule = Object.hasOwn(requestFields, name) ? requestFields[name] : undefined;
    if (!rule && unknown === "drop") continue;
    // Providers behind the AI SDK's interface take no other fields.
    if (!rule && unknown === "pass" && provider === "compatible") selected[name] = value;
    else if (!rule) errors.push(unknownField(name));
    else if (value === null || value === undefined) continue;
    else if (rule[provider] === "refused") {
      if (!rule.neutral?.includes(JSON.stringify(value))) errors.push(refusedField(name));
    } else if (rule[provider] === "passed") selected[name] = value;
  }
  if (errors.length > 0) throw invalidFields(errors);
  return selected;
}
