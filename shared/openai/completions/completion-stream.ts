import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceError } from "../../lib/errors.ts";
import { countInFunction } from "../../lib/metrics.ts";
import { toServiceError } from "../../lib/to-service-error.ts";
import { openaiError } from "../openai-error.ts";
import type { Completion } from "./complete.ts";
import { type CompletionHead, formatChunk } from "./completion.ts";

/** Idle time after which a comment is sent to keep the connection open. */
const HEARTBEAT_INTERVAL_MS = 9_000;

/** Time to wait for the model before the response starts with an SSE comment. */
const FIRST_BYTE_MS = 200;

/**
 * Additional wait after a failed attempt: an error response tells the caller more than an error event in a started
 * stream.
 */
const RETRY_MS = 2_000;

/**
 * Adds SSE comments to a stream: one at the start if `isWaiting`, and one whenever no text was sent for the heartbeat
 * interval.
 */
async function* withHeartbeat(
  texts: AsyncGenerator<string, void>,
  isWaiting: boolean,
  heartbeat = ": still here\n\n",
): AsyncGenerator<string, void> {
  if (isWaiting) yield ": waiting\n\n";
  let next = texts.next();
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), HEARTBEAT_INTERVAL_MS);
    });
    const result = await Promise.race([next, timeout]);
    clearTimeout(timer);
    if (result === null) {
      yield heartbeat;
      continue;
    }
    if (result.done) return;
    next = texts.next();
    yield result.value;
  }
}

export interface StreamFormat {
  events(completion: Completion): AsyncGenerator<string, void>;
  /** Formats an error as the last event. */
  error?(error: ServiceError): string;
  /** Text that keeps an idle connection open; a comment by default. */
  readonly heartbeat?: string;
}

/** Formats the chunks of a chat completion, or of an API whose chunks have the same structure. */
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

/** Time that the error event gets to leave the buffers before the connection is cut. */
const FLUSH_MS = 30;

async function* events(
  opening: Promise<Completion>,
  format: StreamFormat,
  requestId: string,
): AsyncGenerator<string, void> {
  try {
    yield* format.events(await opening);
  } catch (error) {
    // The status line has been sent, so the error becomes the last event of the stream.
    yield (format.error ?? formatError)(toServiceError(error, requestId));
    await sleep(FLUSH_MS);
    // Several clients skip events that they do not know. Only a body without its end tells them that the answer is not whole.
    countInFunction("cut_off_streams");
    throw new Error("stream cut off after its error event");
  }
}

/** Progress of a completion that is being opened. */
export interface Opening<Opened> {
  readonly completion: Promise<Opened>;
  /** Returns true once an attempt has failed: its client waits longer for the first byte, so that an error has a status of its own. */
  readonly hasFailedAttempt: () => boolean;
}

/**
 * Waits for a completion to start, but not longer than a client should wait for the first byte. Failed attempts extend the
 * wait, so that an error still gets its own status.
 * @returns the completion, or null if the response should start without it
 * @throws the error of the completion, if it fails in this time
 */
export async function waitForStart<Opened>({ completion, hasFailedAttempt }: Opening<Opened>): Promise<Opened | null> {
  const first = await Promise.race([completion, sleep(FIRST_BYTE_MS, null)]);
  if (first || !hasFailedAttempt()) return first;
  return Promise.race([completion, sleep(RETRY_MS, null)]);
}

/**
 * Streams a completion.
 * @param isWaiting whether the completion has not started yet
 */
export function completionStream(
  opening: Promise<Completion>,
  isWaiting: boolean,
  format: StreamFormat,
  requestId: string,
): AsyncGenerator<string, void> {
  return withHeartbeat(events(opening, format, requestId), isWaiting, format.heartbeat);
}
