import type { OutputItem } from "./response-object.ts";

/** Output item of a response while it is streamed. */
export interface OpenItem {
  readonly id: string;
  readonly type: string;
  readonly outputIndex: number;
  /** Kinds of the content parts that were started, `text` or `refusal`, in the order of their index. */
  readonly parts: string[];
  /** Text that was sent so far, and in `logprobs` its log probabilities. */
  text: string;
  readonly logprobs: unknown[];
  /** Complete item; null until it has ended. */
  done: OutputItem | null;
}

/**
 * Returns `item` without the text that was sent in earlier items of its type. A message that ended and started again is
 * one message in the complete answer.
 */
export function withoutEarlierText({ id, type }: OpenItem, item: OutputItem, started: readonly OpenItem[]): OutputItem {
  const earlier = started.filter((other) => other.type === type && other.id !== id);
  if (earlier.length === 0 || type.endsWith("_call")) return item;
  const length = earlier.reduce((sum, { text }) => sum + text.length, 0);
  const count = earlier.reduce((sum, { logprobs }) => sum + logprobs.length, 0);
  const shorten = (part: Record<string, unknown>) => ({
    ...part,
    ...(typeof part.text === "string" && { text: part.text.slice(length) }),
    ...(Array.isArray(part.logprobs) && { logprobs: part.logprobs.slice(count) }),
  });
  const list = (parts: unknown) => ((parts ?? []) as Record<string, unknown>[]).map(shorten);
  const summary = type === "reasoning" && { summary: list(item.summary) };
  return { ...item, id, ...(item.content !== undefined && { content: list(item.content) }), ...summary };
}
