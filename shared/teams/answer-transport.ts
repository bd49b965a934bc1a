import { log } from "../lib/log.ts";
import type { AnswerTransport } from "../messengers/thread-answer.ts";
import { TeamsError } from "./connector.ts";

/**
 * Maximum length of an answer in Teams, whose limit for a message is about 100 KB. The rest can be read in the console.
 */
const MAX_CHARACTERS = 20_000;

/** Calls for the chat or thread of a message. */
interface ThreadCalls {
  /** True in a chat of one person with the bot, where Teams supports streams. */
  readonly hasStreams: boolean;
  send(this: void, activity: Readonly<Record<string, unknown>>): Promise<string>;
  replace(this: void, id: string, activity: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Turns images into links, because Teams would load them from URLs that a model chose. */
const escapeMarkdown = (markdown: string) => markdown.replaceAll("![", "[");

const textOf = (text: string) => ({ type: "message", text, textFormat: "markdown" });

/**
 * Returns true if Teams refuses a stream: it does not support it here, the user has stopped it, or it took longer than
 * two minutes.
 */
const isRefusedStream = (error: unknown): error is TeamsError =>
  error instanceof TeamsError && error.status >= 400 && error.status < 500 && error.status !== 429;

/**
 * Returns the calls that post an answer to Teams.
 * @see https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux
 */
export function teamsAnswer({ hasStreams, send, replace }: ThreadCalls): AnswerTransport {
  let sequence = 1;
  let refusal: TeamsError | null = null;
  const post: AnswerTransport["post"] = async (text) => ({ id: await send(textOf(text)), is_stream: false });
  const info = (streamType: string, streamId?: string) => [
    {
      type: "streaminfo",
      streamType,
      ...(streamId !== undefined && { streamId }),
      ...(streamType === "streaming" && { streamSequence: sequence++ }),
    },
  ];
  /**
   * Sends a part of a stream.
   * @returns false if Teams has ended the stream
   */
  const tryStream = async (activity: Readonly<Record<string, unknown>>): Promise<boolean> => {
    if (refusal) return false;
    try {
      await send(activity);
      return true;
    } catch (error) {
      if (!isRefusedStream(error)) throw error;
      log.info("teams stream ended", { code: error.code });
      refusal = error;
      return false;
    }
  };
  const complete = (id: string, text: string) => tryStream({ ...textOf(text), entities: info("final", id) });
  return {
    maxCharacters: MAX_CHARACTERS,
    // One call a second for a stream, and 60 in 30 seconds for a thread.
    intervalMs: { stream: 1_500, update: 3_000 },
    // It may be the beginning of an image.
    unfinished: /!$/,
    escapeMarkdown,
    post,
    start: async (text) => {
      if (!hasStreams) return post(text);
      try {
        const id = await send({ type: "typing", text, entities: info("streaming") });
        return { id, is_stream: true };
      } catch (error) {
        if (!isRefusedStream(error)) throw error;
        log.info("teams stream not available", { code: error.code });
        return post(text);
      }
    },
    extend: async ({ id, is_stream }, _, whole) => {
      if (!is_stream) await replace(id, textOf(whole));
      else await tryStream({ type: "typing", text: whole, entities: info("streaming", id) });
    },
    pause: async ({ id, is_stream }, whole) => {
      if (is_stream) await complete(id, whole);
    },
    end: async ({ id, is_stream }, text) => {
      if (!is_stream) return replace(id, textOf(text));
      // A person who has stopped the stream does not want the rest.
      if (!(await complete(id, text)) && !/cancell?ed by user/i.test(refusal?.code ?? "")) await post(text);
    },
  };
}
