import { now } from "../lib/clock.ts";
import { truncate } from "../lib/truncate.ts";
import { closeCodeBlock } from "../markdown/code-fences.ts";
import type { MessengerMessage } from "./event-store.ts";

type Reply = NonNullable<MessengerMessage["reply"]>;

/** Calls of a messenger that post an answer to its thread. */
export interface AnswerTransport {
  readonly maxCharacters: number;
  /** Minimum time between two calls for an answer, for streams and for messages that are updated. */
  readonly intervalMs: { readonly stream: number; readonly update: number };
  /**
   * Matches the end of a text that must not be sent without its continuation, because it may be the beginning of a
   * mention or an image.
   */
  readonly unfinished: RegExp;
  /** Escapes parts of Markdown that a model must not use, such as mentions, which notify users. */
  escapeMarkdown(this: void, markdown: string): string;
  /** Posts the beginning of an answer, as a stream if the messenger supports it. */
  start(this: void, text: string): Promise<Reply>;
  /**
   * Adds text to an answer.
   * @param whole text of all calls so far, including `added`
   */
  extend(this: void, reply: Reply, added: string, whole: string): Promise<void>;
  /** Ends the message of an answer before the run pauses. */
  pause(this: void, reply: Reply, whole: string): Promise<void>;
  /** Posts a text as one message, not as a stream. */
  post(this: void, text: string): Promise<Reply>;
  /**
   * Ends an answer.
   * @param text the whole answer
   * @param rest text to append to what was sent before; null if `text` must replace it
   */
  end(this: void, reply: Reply, text: string, rest: string | null): Promise<void>;
}

/** Room for the end of a code block in which an answer is cut, with the line breaks after it. */
const MAX_CLOSING_CHARACTERS = 100;

/** Returns only the letters and digits of a text, to compare texts with different markup. */
const lettersOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Answer that is posted to a thread while it is generated. */
export class ThreadAnswer {
  readonly #transport: AnswerTransport;
  readonly #record: (reply: Reply | null) => Promise<unknown>;
  /** Text that was sent to the messenger. */
  #sent = "";
  /** Text that was not sent yet. */
  #pending = "";
  #reply: Reply | undefined;
  #nextCallAt = 0;
  #isFull = false;

  /**
   * @param reply message of an earlier function that contains the beginning of the answer
   * @param record stores the id of the message, so that another function can complete it
   */
  constructor(transport: AnswerTransport, reply: Reply | undefined, record: (reply: Reply | null) => Promise<unknown>) {
    this.#transport = transport;
    this.#reply = reply;
    this.#record = record;
  }

  add(text: string): void {
    this.#pending += text;
  }

  /** Milliseconds until the next call; null if there is no text to send. */
  get msUntilFlush(): number | null {
    return this.#pending === "" || this.#isFull ? null : Math.max(0, this.#nextCallAt - now());
  }

  /** Sends the added text, unless the minimum time between two calls has not passed. */
  async flush(): Promise<void> {
    if (this.msUntilFlush !== 0) return;
    const { unfinished, escapeMarkdown, maxCharacters, intervalMs } = this.#transport;
    const found = this.#pending.search(unfinished);
    const end = found < 0 ? this.#pending.length : found;
    const text = escapeMarkdown(this.#pending.slice(0, end));
    if (text === "") return;
    if (this.#sent.length + text.length > maxCharacters) {
      this.#isFull = true;
      return;
    }
    if (this.#reply) await this.#transport.extend(this.#reply, text, this.#sent + text);
    else {
      this.#reply = await this.#transport.start(text);
      await this.#record(this.#reply);
    }
    this.#sent += text;
    this.#pending = this.#pending.slice(end);
    this.#nextCallAt = now() + intervalMs[this.#reply.is_stream ? "stream" : "update"];
  }

  /** Ends the message before the run pauses. Later text goes into a new message, below the request for a decision. */
  async interrupt(): Promise<void> {
    if (!this.#reply) return;
    await this.#transport.pause(this.#reply, this.#sent);
    await this.#record(null);
    this.#reply = undefined;
  }

  /**
   * Posts the complete answer. Appends the rest if the answer begins with the sent text, or else replaces the message.
   * @param text answer without its appendix
   * @param appendix sources and notes
   * @param readMore line that ends an answer that is too long
   */
  async finish(text: string, appendix: string, readMore: string): Promise<void> {
    const { escapeMarkdown, maxCharacters } = this.#transport;
    const [whole, notes] = [escapeMarkdown(text), escapeMarkdown(appendix)];
    const isLong = whole.length + notes.length > maxCharacters;
    const room = maxCharacters - readMore.length - MAX_CLOSING_CHARACTERS;
    const body = isLong ? `${closeCodeBlock(truncate(whole, room))}\n\n` : whole;
    const end = isLong ? readMore : notes;
    if (!this.#reply) {
      await this.#record(await this.#transport.post(body + end));
      return;
    }
    const streamed = this.#sent + escapeMarkdown(this.#pending);
    const isWhole = !isLong && this.#sent !== "" && lettersOf(streamed) === lettersOf(body);
    // The model may have stopped within a code block.
    const ended = end === "" ? streamed : closeCodeBlock(streamed) + end;
    const rest = isWhole ? ended.slice(this.#sent.length) : null;
    await this.#transport.end(this.#reply, body + end, rest);
  }
}
