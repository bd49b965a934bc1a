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
