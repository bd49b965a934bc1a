import { ServiceError } from "../../lib/errors.ts";
import { type HttpProvider, type ProviderResponse, postJson, readText } from "../../lib/outgoing/post-to-provider.ts";
import { type ChatChunk, type ChatCompletion, isAnswerChunk, parseChoices } from "../chat-chunk.ts";
import { providerError } from "../provider-error.ts";
import { type StreamTimeouts, superviseStream } from "../supervise-stream.ts";
import { requireAnswer } from "./http-failure.ts";
import { readChunks } from "./read-chunks.ts";

const PATH = "/chat/completions";

const post = async (provider: HttpProvider, body: unknown, signal: AbortSignal): Promise<ProviderResponse> =>
  requireAnswer(await postJson(provider, PATH, body, signal));

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
