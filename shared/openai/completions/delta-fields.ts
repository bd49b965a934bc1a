type Fields = Record<string, unknown>;

/** Choice of a finished answer. */
export interface AnsweredChoice {
  readonly index: number;
  readonly message: Readonly<Fields>;
  readonly logprobs: unknown;
  readonly finish_reason: string;
  /** Stop sequence that ended the answer, of providers that name it: vLLM, and SGLang as `matched_stop`. */
  readonly stop_reason?: string;
}

/** Fields in which providers send reasoning. */
export const reasoningFields = ["reasoning_content", "reasoning"] as const;

/** Message fields whose text is redacted by the output checks. */
const textFields = ["content", "refusal", ...reasoningFields] as const;
export const isTextField = (name: string) => (textFields as readonly string[]).includes(name);

/** Returns the text of a value; null if it has none. Some providers send a list of parts. */
export function toText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((part) => String((part as Fields | null)?.text ?? "")).join("") : null;
}

/** OpenAI's finish reasons by those of providers. Any other reason becomes `tool_calls` or `stop`. */
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
