import { StringDecoder } from "node:string_decoder";

/** Maximum length of an unfinished line or event; a stream that exceeds it is aborted. */
const MAX_EVENT_CHARACTERS = 16 * 1_048_576;

const lineEnd = /\r\n|\n|\r/;

/**
 * Incremental parser of server-sent events that returns their data. Comments and names are ignored.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventParser {
  readonly #decoder = new StringDecoder("utf8");
  #rest = "";
  #data: string | null = null;
  #isStart = true;
  /** Id of the last event, from which a client can resume the stream. */
  lastEventId: string | null = null;
  /** Time to wait before reconnecting, if the server names one. */
  retryMs: number | null = null;

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
      } else if (line.startsWith("id:")) {
        this.lastEventId = line.slice(3).trim();
      } else if (/^retry: ?\d+$/.test(line)) {
        this.retryMs = Number(line.slice(6));
      }
    }
    return events;
  }
}
