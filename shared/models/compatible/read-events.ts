import type { Readable } from "node:stream";
import { EventParser } from "../../lib/event-parser.ts";

/** Returns true for the data of the event that ends an answer in OpenAI's format. */
export const isDone = (data: string): boolean => data.trim() === "[DONE]";

/** Time in ms to wait for the usage after the end of an answer. Some providers never close the connection. */
const LATE_EVENTS_MS = 300;

/**
 * Yields the data of server-sent events, grouped by network chunk. Continues for 300 ms after `[DONE]`, and then ignores
 * errors of the connection.
 * @throws Error if the connection is lost before `[DONE]`
 */
export async function* readEvents(body: Readable): AsyncGenerator<readonly string[], void> {
  const parser = new EventParser();
  let timer: NodeJS.Timeout | undefined;
  const endSoon = (events: readonly string[]) => {
    if (!timer && events.some(isDone)) timer = setTimeout(() => body.destroy(), LATE_EVENTS_MS);
    return events;
  };
  try {
    for await (const bytes of body) yield endSoon(parser.push(bytes));
    yield parser.end();
  } catch (error) {
    if (!timer) throw error;
  } finally {
    clearTimeout(timer);
  }
}
