import type { CompletionAnswer, CompletionHead, Delta } from "./completion.ts";

/** Converts an answer to OpenAI's `chat.completion` object. */
export function toChatCompletion({ head, choices, fields, reported }: CompletionAnswer) {
  const { id, created, model } = head;
  return { ...fields, id, object: "chat.completion", created, model, choices, usage: reported };
}

/**
 * Converts a complete answer to one chunk for each choice, for replays and for answers that are held back until they
 * are checked.
 */
export function* toDeltas({ choices, fields }: CompletionAnswer): Generator<Delta, void> {
  for (const { index, message, logprobs } of choices) {
    const { tool_calls, ...others } = message;
    const calls = (tool_calls as object[] | undefined)?.map((call, position) => ({ index: position, ...call }));
    const delta = { ...others, ...(calls && { tool_calls: calls }) };
    yield { ...fields, choices: [{ index, delta, logprobs, finish_reason: null }] };
  }
}

/** Formats a chunk as a server-sent event with a `chat.completion.chunk` object. */
export function formatChunk(head: CompletionHead, fields: Readonly<Record<string, unknown>>): string {
  const { id, created, model } = head;
  return `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created, model, ...fields })}\n\n`;
}
