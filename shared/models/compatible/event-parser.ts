import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Maximum length of an unfinished line or event; a stream that exceeds it is aborted. */
const MAX_EVENT_CHARACTERS = 16 * 1_048_576;

const lineEnd = /\r\n|\n|\r/;

/**
 * Incremental parser of server-sent events that returns their data. Comments, names and ids are ignored.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventParser {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #data: string | null = null;
  #isStart = true;

  /** Returns the data of the events that `bytes` complete. @throws Error if an event is too large */
  push(bytes: Buffer): string[] {
    let text = this.#rest + this.#decoder.write(bytes);
    if (this.#isStart && text !== "") {
      this.#isStart = false;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    // A final carriage return may be the first half of CRLF.
    const hasHalfLineEnd = text.endsWith("\r");
    if (hasHalfLineEnd) text = text.slice(0, -1);
    const lines = text.split(lineEnd);
    this.#rest = (lines.pop() ?? "") + (hasHalfLineEnd ? "\r" : "");
    if (this.#rest.length + (this.#data?.length ?? 0) > MAX_EVENT_CHARACTERS) throw new Error("The event is too large");
    return this.#parse(lines);
  }

  /** Returns the data of the last event: some providers omit the blank line after it. */
  end(): string[] {
    return this.#parse([this.#rest + this.#decoder.end(), ""]);
  }

  #parse(lines: readonly string[]): string[] {
    const events: string[] = [];
    for (const line of lines) {
      if (line === "") {
        if (this.#data !== null) events.push(this.#data);
        this.#data = null;
      } else if (line.startsWith("data:")) {
        const value = line.slice(line.startsWith("data: ") ? 6 : 5);
        this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
      }
    }
    return events;
  }
}

/** Data of the event that ends an answer in OpenAI's format. */
export const DONE = "[DONE]";

/** Time after the end of an answer in which its usage may still arrive. Some providers never close the connection. */
const LATE_EVENTS_MS = 300;

/**
 * Reads an event stream, and yields the data of the events of each network chunk, up to `[DONE]` and those that follow at
 * once. What happens to the connection afterwards does not matter.
 * @throws Error if the connection is lost before `[DONE]`
 */
export async function* readEvents(body: Readable): AsyncGenerator<readonly string[], void> {
  const parser = new EventParser();
  let timer: NodeJS.Timeout | undefined;
  const endSoon = (events: readonly string[]) => {
    if (!timer && events.includes(DONE)) timer = setTimeout(() => body.destroy(), LATE_EVENTS_MS);
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
