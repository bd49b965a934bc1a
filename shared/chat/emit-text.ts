import { truncate } from "../lib/truncate.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** Maximum length of the text in one event. */
const MAX_DELTA_CHARACTERS = 20_000;

/**
 * Truncates text that is too long. Shorter text stays unchanged, because the next delta may complete the surrogate pair
 * that it ends with.
 */
export const limit = (text: string, maxLength: number) => (text.length > maxLength ? truncate(text, maxLength) : text);

/**
 * Yields the events for a part of the answer. A long text is split into several events, because a log segment must fit in
 * one DynamoDB item.
 */
export function* textEvents({ run: { message_id } }: Turn, text: string): Generator<RunEvent, void> {
  for (let start = 0; start < text.length; ) {
    const content = limit(text.slice(start), MAX_DELTA_CHARACTERS);
    start += content.length;
    yield { type: "assistant_message", data: { message_id, content, final: false } };
  }
}
