import { log } from "../lib/log.ts";
import type { MessengerMessage } from "../messengers/event-store.ts";
import type { AnswerTransport } from "../messengers/thread-answer.ts";
import { escapeMentions } from "./mrkdwn.ts";
import { SlackError, type SlackReply } from "./slack-client.ts";

/**
 * Maximum length of an answer in Slack, whose limit for `markdown_text` is 12,000 characters. The rest can be read in
 * the console.
 */
const MAX_CHARACTERS = 11_500;

/**
 * Error codes with which Slack refuses streams, for example in plans without them. The answer is then posted as one
 * message that is updated.
 */
const streamless: ReadonlySet<string> = new Set([
  "unknown_method",
  "method_not_supported_for_channel_type",
  "missing_recipient_team_id",
  "missing_recipient_user_id",
  "not_allowed_token_type",
  "feature_not_enabled",
  "team_not_allowed",
]);

export function slackAnswer(
  { channel, thread_id: thread_ts, account_id }: MessengerMessage,
  teamId: string | null,
  call: (method: string, fields: Readonly<Record<string, unknown>>) => Promise<SlackReply>,
): AnswerTransport {
  const post: AnswerTransport["post"] = async (markdown_text) => {
    const fields = { channel, thread_ts, markdown_text, unfurl_links: false, unfurl_media: false };
    return { id: String((await call("chat.postMessage", fields)).ts), is_stream: false };
  };
  /**
   * Ends a stream.
   * @returns false if it was already ended
   */
  const stop = async (ts: string, rest: string): Promise<boolean> => {
    try {
      await call("chat.stopStream", { channel, ts, ...(rest !== "" && { markdown_text: rest }) });
      return true;
    } catch (error) {
      // The function that had streamed it stopped it before it died.
      if (error instanceof SlackError && error.code === "message_not_in_streaming_state") return false;
      throw error;
    }
  };
  return {
    maxCharacters: MAX_CHARACTERS,
    // `chat.appendStream` has the limit of 100, `chat.update` of 50 calls a minute.
    intervalMs: { stream: 1_000, update: 3_000 },
    // It may be the beginning of a mention.
    unfinished: /<$/,
    escapeMarkdown: escapeMentions,
    post,
    start: async (markdown_text) => {
      // Required in channels, and accepted in direct messages.
      const recipient = { recipient_user_id: account_id, ...(teamId !== null && { recipient_team_id: teamId }) };
      try {
        const { ts } = await call("chat.startStream", { channel, thread_ts, ...recipient, markdown_text });
        return { id: String(ts), is_stream: true };
      } catch (error) {
        if (!(error instanceof SlackError && streamless.has(error.code))) throw error;
        log.info("slack stream not available", { code: error.code });
        return post(markdown_text);
      }
    },
    extend: async ({ id: ts, is_stream }, added, whole) => {
      if (is_stream) await call("chat.appendStream", { channel, ts, markdown_text: added });
      else await call("chat.update", { channel, ts, markdown_text: whole });
    },
    pause: async ({ id, is_stream }) => {
      if (is_stream) await stop(id, "");
    },
    end: async ({ id: ts, is_stream }, text, rest) => {
      const isComplete = is_stream && (await stop(ts, rest ?? "")) && rest !== null;
      if (!isComplete) await call("chat.update", { channel, ts, markdown_text: text });
    },
  };
}
