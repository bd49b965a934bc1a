type Fields = Record<string, unknown>;

/** Message fields whose text is redacted by the output checks. */
const textFields = ["content", "refusal", "reasoning_content", "reasoning"] as const;
export const isTextField = (name: string) => (textFields as readonly string[]).includes(name);

/** Returns the text of a value; null if it has none. Some providers send a list of parts. */
export function toText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((part) => String((part as Fields | null)?.text ?? "")).join("") : null;
}
