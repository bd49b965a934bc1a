type Fields = Record<string, unknown>;

/** Message fields whose text is redacted by the output checks. */
const textFields = ["content", "refusal", "reasoning_content", "reasoning"] as const;
export const isTextField = (name: string) => (textFields as readonly string[]).includes(name);

/** Moves the thinking parts of a content, as Mistral sends them, to the reasoning. */
export function separateThinking(delta: Readonly<Fields>): Readonly<Fields> {
  const { content } = delta;
  if (!Array.isArray(content)) return delta;
  const thinking = content.filter((part) => part?.type === "thinking");
  if (thinking.length === 0) return delta;
  const reasoning_content = thinking.map((part) => toText(part.thinking) ?? "").join("");
  return { ...delta, content: content.filter((part) => part?.type !== "thinking"), reasoning_content };
}

/** Returns the text of a value; null if it has none. Some providers send a list of parts. */
export function toText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((part) => String((part as Fields | null)?.text ?? "")).join("") : null;
}

/** Returns true if a delta has text or tool calls. */
export const hasAnswer = (delta: Readonly<Fields>) =>
  textFields.some((name) => delta[name]) || (Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0);
