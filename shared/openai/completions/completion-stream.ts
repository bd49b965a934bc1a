import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceError } from "../../lib/errors.ts";
import { countInFunction } from "../../lib/metrics.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { toServiceError } from "../../lib/to-service-error.ts";
import { openaiError } from "../openai-error.ts";
import type { Completion } from "./complete.ts";
import type { CompletionHead } from "./completion.ts";
import { formatChunk } from "./format-completion.ts";

/** Idle time after which a heartbeat, by default an SSE comment, keeps the connection open. */
const HEARTBEAT_INTERVAL_MS = 9_000;

/** Maximum time to wait for the model before the response starts with an SSE comment. */
const FIRST_BYTE_MS = 200;

/**
 * Additional time to wait for the model after a failed attempt. If the retry fails too, the client receives an error
 * status, which says more than an error event in a stream with status 200.
 */
const RETRY_MS = 2_000;

export interface StreamFormat {
  events(completion: Completion): AsyncGenerator<string, void>;
  /** Formats an error as the last event of the stream; in OpenAI's format if omitted. */
  error?(error: ServiceError): string;
  /** Text that keeps an idle connection open; an SSE comment by default. */
  readonly heartbeat?: string;
}

/**
 * Returns the stream format of chat completions, or of an API whose chunks have the same structure.
 * @param includeUsage true if the request asks for a last chunk with the usage
 * @param formatEvent formats one chunk
 */
export function chunkFormat(
  includeUsage: boolean,
  formatEvent: (head: CompletionHead, fields: Readonly<Record<string, unknown>>) => string = formatChunk,
): StreamFormat {
  // If usage is requested, every chunk has the field, and it is null in all but the last.
  const emptyUsage = includeUsage ? { usage: null } : {};
  return {
    async *events({ head, deltas, answer }) {
      for await (const delta of deltas) yield formatEvent(head, { ...delta, ...emptyUsage });
      const { choices, fields, reported } = answer();
      for (const { index, finish_reason } of choices) {
        const choice = { index, delta: {}, logprobs: null, finish_reason };
        yield formatEvent(head, { ...fields, choices: [choice], ...emptyUsage });
      }
      if (includeUsage) yield formatEvent(head, { ...fields, choices: [], usage: reported });
      yield "data: [DONE]\n\n";
    },
  };
}

const formatError = (error: ServiceError) => `data: ${JSON.stringify(openaiError(error))}\n\n`;

/** Time to wait after the error event before the connection is cut, so that the event is still delivered. */
const FLUSH_MS = 30;

/** Completion that is being started, and whether an attempt has failed. */
interface Opening<Opened> {
  readonly completion: Promise<Opened>;
  /**
   * Returns true once an attempt has failed. The response then waits up to `RETRY_MS` longer for its first byte, so
   * that an error can still set the status.
   */
  readonly hasFailedAttempt: () => boolean;
}

/**
 * Waits for a completion to start: up to `FIRST_BYTE_MS`, and `RETRY_MS` longer if an attempt has failed.
 * @returns the completion, or null if the response should start before the completion
 * @throws the error of the completion, if it fails within this time
 */
export async function waitForStart<Opened>({ completion, hasFailedAttempt }: Opening<Opened>): Promise<Opened | null> {
  const first = await settleWithin(completion, FIRST_BYTE_MS);
  if (first || !hasFailedAttempt()) return first;
  return settleWithin(completion, RETRY_MS);
}

/**
 * Streams a completion, with a heartbeat whenever no text was sent for `HEARTBEAT_INTERVAL_MS`. After an error event, the
 * stream is cut off, because several clients ignore the event.
 * @param isWaiting true if the completion has not started yet; the stream then begins with an SSE comment
 */
export async function* completionStream(
  opening: Promise<Completion>,
  isWaiting: boolean,
  format: StreamFormat,
  requestId: string,
): AsyncGenerator<string, void> {
  const { heartbeat = ": still here\n\n" } = format;
  let texts: AsyncGenerator<string, void> | undefined;
  let next: Promise<IteratorResult<string, void>> | undefined;
  // A client can leave before anything waits for the completion.
  opening.catch(() => {});
  try {
    if (isWaiting) yield ": waiting\n\n";
    next = opening.then((completion) => {
      texts = format.events(completion);
      return texts.next();
    });
    for (;;) {
      const result = await settleWithin(next, HEARTBEAT_INTERVAL_MS);
      if (result === null) yield heartbeat;
      else if (result.done || !texts) return;
      else {
        yield result.value;
        next = texts.next();
      }
    }
  } catch (error) {
    // The status line has been sent, so the error becomes the last event of the stream.
    yield (format.error ?? formatError)(toServiceError(error, requestId));
    await sleep(FLUSH_MS);
    // Several clients skip events that they do not know. Only a body without its end tells them that the answer is not whole.
    countInFunction("cut_off_streams");
    throw new Error("stream cut off after its error event");
  } finally {
    // Not awaited: a provider that is silent would delay the end of the response.
    void Promise.allSettled([next]).then(() => texts?.return().catch(() => {}));
  }
}
