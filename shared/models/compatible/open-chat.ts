import { ServiceError } from "../../lib/errors.ts";
import { EventParser } from "../../lib/event-parser.ts";
import { type HttpProvider, type ProviderResponse, postJson, readText } from "../../lib/outgoing/post-to-provider.ts";
import { type ChatChunk, type ChatCompletion, isAnswerChunk, parseChoices } from "../chat-chunk.ts";
import { providerError } from "../provider-error.ts";
import { connectionLost, type StreamTimeouts, superviseStream } from "../supervise-stream.ts";
import { requireAnswer } from "./http-failure.ts";
import { joinText } from "./join-text.ts";
import { DONE, readEvents } from "./read-events.ts";

const PATH = "/chat/completions";

const post = async (provider: HttpProvider, body: unknown, signal: AbortSignal): Promise<ProviderResponse> =>
  requireAnswer(await postJson(provider, PATH, body, signal));

/** Converts the JSON of an answer that the provider did not stream to a chunk. */
function toChunk(json: string): ChatChunk {
  const { choices, ...fields }: ChatCompletion = parseChoices(json, "message");
  const toDelta = (message: Readonly<Record<string, unknown>>) => {
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    return { ...message, ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) };
  };
  return { ...fields, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: toDelta(message) })) };
}

/**
 * Reads the chunks of a provider's stream. Texts that arrive in one network packet are joined to one chunk, because each chunk
 * is checked, redacted and sent for itself.
 * @throws the provider's error; `connectionLost` if the stream is cut off
 */
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
    let last: ChatChunk | null = null;
    for (const data of list) {
      if (data === DONE) isFinished = true;
      if (data === DONE || data === "") continue;
      let chunk: ChatChunk;
      try {
        chunk = parseChoices(data, "delta");
      } catch (error) {
        if (last) yield last;
        throw error;
      }
      isFinished ||= chunk.choices.some(({ finish_reason }) => finish_reason);
      if (last && joinText(last, chunk)) continue;
      if (last) yield last;
      last = chunk;
    }
    if (last) yield last;
  }
  if (!isFinished) throw connectionLost();
}

/**
 * Starts a streamed completion and waits for the first chunk of the answer.
 * @throws ServiceError as `providerError` returns it; the abort reason if `callerSignal` is aborted
 */
export const openChatStream = (
  provider: HttpProvider,
  body: object,
  timeouts: StreamTimeouts,
  callerSignal?: AbortSignal,
): Promise<AsyncGenerator<ChatChunk, void>> =>
  superviseStream(
    async (signal) => {
      const response = await post(provider, body, signal);
      return { parts: readChunks(response), close: () => void response.body.destroy() };
    },
    isAnswerChunk,
    timeouts,
    callerSignal,
  );

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
