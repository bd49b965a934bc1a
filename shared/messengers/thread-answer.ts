import { now } from "../lib/clock.ts";
import type { MessengerMessage } from "./event-store.ts";

type Reply = NonNullable<MessengerMessage["reply"]>;

/** Calls of a messenger that post an answer to its thread. */
export interface AnswerTransport {
  readonly maxCharacters: number;
  /** Pauses between two calls for one answer, by whether it is a stream or a message that is updated. */
  readonly intervalMs: { readonly stream: number; readonly update: number };
  /** Matches the end of a text that is to be sent with its continuation. */
  readonly unfinished: RegExp;
  /** Escapes parts of a model's Markdown that would notify others, such as mentions. */
  escapeMarkdown(this: void, markdown: string): string;
  /** Starts an answer, as a stream if there are streams. */
  start(this: void, text: string): Promise<Reply>;
  /** @param whole text of all calls so far, this one included */
  extend(this: void, reply: Reply, added: string, whole: string): Promise<void>;
  /** Ends an answer before a pause. */
  pause(this: void, reply: Reply, whole: string): Promise<void>;
  /** Posts a whole answer. */
  post(this: void, text: string): Promise<Reply>;
  /**
   * Ends an answer.
   * @param rest what the text adds to the text of earlier calls; null if it does not continue that text
   */
  end(this: void, reply: Reply, text: string, rest: string | null): Promise<void>;
}

/** Letters and digits of a text, to compare texts whose markup differs. */
const lettersOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Answer that is posted to a thread while it is generated. */
export class ThreadAnswer {
  readonly #transport: AnswerTransport;
  readonly #record: (reply: Reply | null) => Promise<unknown>;
  /** Text that the messenger has. */
  #sent = "";
  /** Text that it does not have yet. */
  #pending = "";
  #reply: Reply | undefined;
  #nextCallAt = 0;
  #isFull = false;

  /**
   * @param reply message with the beginning of the answer that another function has posted
   * @param record stores that message, so that another function can complete it
   */
  constructor(transport: AnswerTransport, reply: Reply | undefined, record: (reply: Reply | null) => Promise<unknown>) {
    this.#transport = transport;
    this.#reply = reply;
    this.#record = record;
  }

  add(text: string): void {
    this.#pending += text;
  }

  /** Milliseconds until the next call; null without text to send. */
  get msUntilFlush(): number | null {
    return this.#pending === "" || this.#isFull ? null : Math.max(0, this.#nextCallAt - now());
  }

  /** Sends the text that was added, if it is time for a call. */
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

  /** Ends the message before a pause. Later text goes into another message, below the request for a decision. */
  async interrupt(): Promise<void> {
    if (!this.#reply) return;
    await this.#transport.pause(this.#reply, this.#sent);
    await this.#record(null);
    this.#reply = undefined;
  }

  /**
   * Posts the whole answer: appends the rest if the answer begins with what was streamed, or else replaces what was posted.
   * @param text answer without its appendix
   * @param appendix sources and notes
   * @param readMore line for an answer that is too long
   */
  async finish(text: string, appendix: string, readMore: string): Promise<void> {
    const { escapeMarkdown, maxCharacters } = this.#transport;
    const isLong = text.length + appendix.length > maxCharacters;
    const body = escapeMarkdown(isLong ? `${text.slice(0, maxCharacters - readMore.length)}\n\n` : text);
    const end = isLong ? readMore : escapeMarkdown(appendix);
    if (!this.#reply) {
      await this.#record(await this.#transport.post(body + end));
      return;
    }
    const streamed = this.#sent + escapeMarkdown(this.#pending);
    const isWhole = !isLong && this.#sent !== "" && lettersOf(streamed) === lettersOf(body);
    const rest = isWhole ? streamed.slice(this.#sent.length) + end : null;
    await this.#transport.end(this.#reply, body + end, rest);
  }
}
