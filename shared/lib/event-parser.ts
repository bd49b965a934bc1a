import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";

/** Maximum length of an unfinished event; a stream that exceeds it is aborted. */
const MAX_EVENT_CHARACTERS = 16 * 1_048_576;

/**
 * Incremental parser for a stream of server-sent events. It returns the data of each event and ignores comments and event
 * names.
 */
export class EventParser {
  readonly #decoder = new StringDecoder("utf8");
  #events: string[] = [];
  /** Id of the last event, from which a client can resume the stream. */
  lastEventId: string | null = null;
  /** Time to wait before reconnecting, if the server names one. */
  retryMs: number | null = null;

  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ data }) => {
      this.#events.push(data);
    },
    onId: (id) => {
      this.lastEventId = id;
    },
    onRetry: (retryMs) => {
      this.retryMs = retryMs;
    },
    onError: (error) => {
      // Unknown fields are reported too.
      if (error.type === "max-buffer-size-exceeded") throw error;
    },
  });

  /**
   * Parses further bytes of the stream and returns the data of the events that are now complete.
   * @throws ParseError if an event is too large
   */
  push(bytes: Buffer): string[] {
    return this.#feed(this.#decoder.write(bytes));
  }

  /**
   * Ends the stream and returns the data of an event that was still open, because some providers omit the blank line after
   * the last one.
   */
  end(): string[] {
    return this.#feed(`${this.#decoder.end()}\n\n`);
  }

  /** Forgets an event that was cut off, before another stream is read. Keeps the last id. */
  restart(): void {
    this.#decoder.end();
    this.#parser.reset();
  }

  #feed(text: string): string[] {
    this.#events = [];
    this.#parser.feed(text);
    return this.#events;
  }
}
