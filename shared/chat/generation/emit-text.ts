import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import type { Turn } from "../turn.ts";

const MAX_DELTA_CHARACTERS = 20_000;

/**
 * Truncates text that is too long, without splitting a surrogate pair. Shorter text stays unchanged even if it ends
 * with half a pair, because the next delta may complete it.
 */
export const limit = (text: string, maxLength: number) => (text.length > maxLength ? truncate(text, maxLength) : text);

/**
 * Yields the `assistant_message` events for a part of the answer. A long text becomes several events, because each must
 * fit into a log segment, which is one DynamoDB item.
 */
export function* textEvents({ run: { message_id } }: Turn, text: string): Generator<RunEvent, void> {
  for (let start = 0; start < text.length; ) {
    const content = limit(text.slice(start), MAX_DELTA_CHARACTERS);
    start += content.length;
    yield { type: "assistant_message", data: { message_id, content, final: false } };
  }
}
