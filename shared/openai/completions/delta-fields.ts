type Fields = Record<string, unknown>;

/** Choice of a complete answer. */
export interface AnsweredChoice {
  readonly index: number;
  readonly message: Readonly<Fields>;
  readonly logprobs: unknown;
  readonly finish_reason: string;
  /**
   * Stop sequence that ended the answer. Only some providers name it: vLLM as `stop_reason`, SGLang as `matched_stop`.
   */
  readonly stop_reason?: string;
}

/** Names of the message field in which providers send reasoning. */
export const reasoningFields = ["reasoning_content", "reasoning"] as const;

/** Message fields that contain generated text, which the output checks redact. */
const textFields = ["content", "refusal", ...reasoningFields] as const;
export const isTextField = (name: string) => (textFields as readonly string[]).includes(name);

/**
 * Returns the text of a message field: a string, or the joined texts of a list of parts, which some providers send.
 * Null for any other value.
 */
export function toText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((part) => String((part as Fields | null)?.text ?? "")).join("") : null;
}

/**
 * Maps the finish reasons of providers to OpenAI's. A reason that is not listed becomes `tool_calls` for an answer with
 * calls, and `stop` otherwise.
 */
export const finishReasons: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  function_call: "function_call",
  max_tokens: "length",
  model_length: "length",
  // The provider ended the answer early, for example because its server was stopped.
  abort: "length",
  error: "length",
  safety: "content_filter",
};
