import { ServiceError } from "../../lib/errors.ts";
import { EventParser } from "../../lib/event-parser.ts";
import { type HttpProvider, type ProviderResponse, postJson, readText } from "../../lib/post-to-provider.ts";
import { type ChatChunk, type ChatCompletion, isAnswerChunk, parseChoices } from "../chat-chunk.ts";
import { providerError } from "../provider-error.ts";
import { connectionLost, type StreamTimeouts } from "../supervised-stream.ts";
import { requireAnswer } from "./http-failure.ts";
import { DONE, readEvents } from "./read-events.ts";

const PATH = "/chat/completions";

const post = async (provider: HttpProvider, body: unknown, signal: AbortSignal): Promise<ProviderResponse> =>
  requireAnswer(await postJson(provider, PATH, body, signal));

/** Aborts a request whose next chunk does not arrive in time. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  /** Deadline of the next chunk, as a time of `performance.now`; infinite while the caller processes a chunk. */
  #deadline: number;

  constructor(timeouts: StreamTimeouts) {
    this.#deadline = performance.now() + timeouts.firstTokenMs;
    const check = () => {
      if (performance.now() < this.#deadline) return;
      this.#controller.abort(new ServiceError("timeout", "The language model did not answer in time."));
    };
    // One interval timer checks all chunks, because a timer per chunk would cost more than processing the chunk.
    this.#timer = setInterval(check, Math.max(1, Math.min(timeouts.firstTokenMs, timeouts.idleMs) / 20));
    this.#timer.unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  expectWithin(timeoutMs: number): void {
    this.#deadline = performance.now() + timeoutMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Converts the JSON of an answer that the provider did not stream to a chunk. */
function toChunk(json: string): ChatChunk {
  const { choices, ...fields }: ChatCompletion = parseChoices(json, "message");
  const toDelta = (message: Readonly<Record<string, unknown>>) => {
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    return { ...message, ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) };
  };
  return { ...fields, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: toDelta(message) })) };
}

/** Reads the chunks of a provider's stream. @throws the provider's error; `connectionLost` if the stream is cut off */
async function* readChunks(response: ProviderResponse): AsyncGenerator<ChatChunk, void> {
  let events: AsyncIterable<readonly string[]> | Iterable<readonly string[]> = readEvents(response.body);
  if (/^application\/json\b/i.test(response.headers["content-type"] ?? "")) {
    // Some providers ignore `stream`, and some name the wrong type for a stream.
    const text = await readText(response);
    if (text.trimStart().startsWith("{")) {
      yield toChunk(text);
      return;
    }
    const parser = new EventParser();
    events = [[...parser.push(Buffer.from(text)), ...parser.end()]];
  }
  let isFinished = false;
  for await (const list of events) {
    for (const data of list) {
      if (data === DONE) isFinished = true;
      else if (data !== "") {
        const chunk: ChatChunk = parseChoices(data, "delta");
        isFinished ||= chunk.choices.some(({ finish_reason }) => finish_reason);
        yield chunk;
      }
    }
  }
  if (!isFinished) throw connectionLost();
}

/**
 * Starts a streamed completion and waits for the first chunk of the answer.
 * @throws ServiceError as `providerError` returns it; the abort reason if `signal` is aborted
 */
export async function openChatStream(
  provider: HttpProvider,
  body: object,
  timeouts: StreamTimeouts,
  callerSignal?: AbortSignal,
): Promise<AsyncGenerator<ChatChunk, void>> {
  const watchdog = new Watchdog(timeouts);
  const signal = callerSignal ? AbortSignal.any([callerSignal, watchdog.signal]) : watchdog.signal;
  let response: ProviderResponse | undefined;
  const toFailure = (error: unknown) =>
    callerSignal?.aborted ? callerSignal.reason : providerError(signal.aborted ? signal.reason : error);
  const close = () => {
    watchdog.stop();
    response?.body.destroy();
  };
  try {
    response = await post(provider, body, signal);
    const chunks = readChunks(response);
    const first: ChatChunk[] = [];
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      first.push(next.value);
      if (isAnswerChunk(next.value)) break;
    }
    watchdog.expectWithin(timeouts.idleMs);
    return readAll(first, chunks, { toFailure, close, watchdog, idleMs: timeouts.idleMs });
  } catch (error) {
    close();
    throw toFailure(error);
  }
}

interface OpenStream {
  readonly toFailure: (error: unknown) => unknown;
  readonly close: () => void;
  readonly watchdog: Watchdog;
  readonly idleMs: number;
}

/** Yields the chunks that were already read, then the remaining ones. */
async function* readAll(
  first: readonly ChatChunk[],
  rest: AsyncGenerator<ChatChunk, void>,
  { toFailure, close, watchdog, idleMs }: OpenStream,
): AsyncGenerator<ChatChunk, void> {
  try {
    for (const chunks of [first, rest]) {
      for await (const chunk of chunks) {
        watchdog.expectWithin(Number.POSITIVE_INFINITY);
        yield chunk;
        watchdog.expectWithin(idleMs);
      }
    }
  } catch (error) {
    throw toFailure(error);
  } finally {
    close();
  }
}

/**
 * Requests a completion that is not streamed.
 * @throws ServiceError as `providerError` returns it; the abort reason if `signal` is aborted
 */
export async function requestChat(provider: HttpProvider, body: object, signal: AbortSignal): Promise<ChatCompletion> {
  try {
    const completion: ChatCompletion = parseChoices(await readText(await post(provider, body, signal)), "message");
    if (completion.choices.length === 0) throw new ServiceError("model_error", "The model returned an empty answer.");
    return completion;
  } catch (error) {
    signal.throwIfAborted();
    throw providerError(error);
  }
}
