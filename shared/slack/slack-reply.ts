import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import type { SlackMessage } from "./event-store.ts";
import { escapeMentions } from "./mrkdwn.ts";
import { SlackError, type SlackReply } from "./slack-client.ts";

/** Characters of an answer in Slack, whose limit for `markdown_text` is 12,000. The rest is read in the console. */
const MAX_CHARACTERS = 11_500;

/** Pauses between two calls for one answer: `chat.appendStream` has the limit of 100, `chat.update` of 50 a minute. */
const [APPEND_INTERVAL_MS, UPDATE_INTERVAL_MS] = [1_000, 3_000];

/** Codes with which a workspace refuses streams, such as plans without them. The answer is then one message that is updated. */
const streamless: ReadonlySet<string> = new Set([
  "unknown_method",
  "method_not_supported_for_channel_type",
  "missing_recipient_team_id",
  "missing_recipient_user_id",
  "not_allowed_token_type",
  "feature_not_enabled",
  "team_not_allowed",
]);

/** Thread of an answer, and the functions that post to it. */
export interface ReplyContext {
  readonly message: SlackMessage;
  readonly teamId: string | null;
  call(method: string, fields: Readonly<Record<string, unknown>>): Promise<SlackReply>;
  /** Stores the message with the answer, so that another function can complete it. */
  record(reply: SlackMessage["reply"] | null): Promise<unknown>;
}

/** Letters and digits of a text, to compare texts whose markup differs. */
const lettersOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Answer that is posted to a thread while it is generated. */
export class SlackAnswer {
  readonly #context: ReplyContext;
  /** Text that Slack has. */
  #sent = "";
  /** Text that Slack does not have yet. */
  #pending = "";
  #reply: SlackMessage["reply"];
  #nextCallAt = 0;
  #isFull = false;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#reply = context.message.reply;
  }

  /** Adds text of the answer. */
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
    // `<` may be the beginning of a mention, whose rest has not come yet.
    const end = this.#pending.endsWith("<") ? this.#pending.length - 1 : this.#pending.length;
    const text = escapeMentions(this.#pending.slice(0, end));
    if (text === "") return;
    if (this.#sent.length + text.length > MAX_CHARACTERS) {
      this.#isFull = true;
      return;
    }
    await (this.#reply ? this.#extend(this.#reply, text) : this.#start(text));
    this.#sent += text;
    this.#pending = this.#pending.slice(end);
    this.#nextCallAt = now() + (this.#reply?.is_stream === false ? UPDATE_INTERVAL_MS : APPEND_INTERVAL_MS);
  }

  get #place() {
    const { channel, thread_ts } = this.#context.message;
    return { channel, thread_ts };
  }

  async #start(text: string): Promise<void> {
    const { message, teamId } = this.#context;
    // Required in channels, and accepted in direct messages.
    const recipient = { recipient_user_id: message.slack_user, ...(teamId !== null && { recipient_team_id: teamId }) };
    try {
      const fields = { ...this.#place, ...recipient, markdown_text: text };
      const { ts } = await this.#context.call("chat.startStream", fields);
      this.#reply = { ts: String(ts), is_stream: true };
    } catch (error) {
      if (!(error instanceof SlackError && streamless.has(error.code))) throw error;
      log.info("slack stream not available", { code: error.code });
      this.#reply = await this.#post(text);
    }
    await this.#context.record(this.#reply);
  }

  async #post(markdown_text: string): Promise<SlackMessage["reply"]> {
    const fields = { ...this.#place, markdown_text, unfurl_links: false, unfurl_media: false };
    const { ts } = await this.#context.call("chat.postMessage", fields);
    return { ts: String(ts), is_stream: false };
  }

  async #extend({ ts, is_stream }: NonNullable<SlackMessage["reply"]>, text: string): Promise<void> {
    const { channel } = this.#place;
    if (is_stream) await this.#context.call("chat.appendStream", { channel, ts, markdown_text: text });
    else await this.#context.call("chat.update", { channel, ts, markdown_text: this.#sent + text });
  }

  async #stop(ts: string, rest: string): Promise<void> {
    try {
      const { channel } = this.#place;
      await this.#context.call("chat.stopStream", { channel, ts, ...(rest !== "" && { markdown_text: rest }) });
    } catch (error) {
      // The function that had streamed it stopped it before it died.
      if (!(error instanceof SlackError && error.code === "message_not_in_streaming_state")) throw error;
      this.#sent = "";
    }
  }

  /** Ends the message before a pause; later text belongs into another one, below the request for a decision. */
  async interrupt(): Promise<void> {
    if (this.#reply?.is_stream) await this.#stop(this.#reply.ts, "");
    if (this.#reply) await this.#context.record(null);
    this.#reply = undefined;
  }

  /**
   * Posts the whole answer: as the rest of the stream if that has its beginning, or else in the place of what was posted.
   * @param text answer without its appendix
   * @param appendix sources and notes
   * @param readMore line for an answer that is too long
   */
  async finish(text: string, appendix: string, readMore: string): Promise<void> {
    const isLong = text.length + appendix.length > MAX_CHARACTERS;
    const body = escapeMentions(isLong ? `${text.slice(0, MAX_CHARACTERS - readMore.length)}\n\n` : text);
    const end = isLong ? readMore : escapeMentions(appendix);
    const reply = this.#reply;
    if (!reply) {
      await this.#context.record(await this.#post(body + end));
      return;
    }
    const streamed = this.#sent + escapeMentions(this.#pending);
    const isWhole = reply.is_stream && !isLong && streamed !== "" && lettersOf(streamed) === lettersOf(body);
    if (isWhole) {
      await this.#stop(reply.ts, streamed.slice(this.#sent.length) + end);
      if (this.#sent !== "") return;
    } else if (reply.is_stream) await this.#stop(reply.ts, "");
    await this.#context.call("chat.update", { channel: this.#place.channel, ts: reply.ts, markdown_text: body + end });
  }
}
