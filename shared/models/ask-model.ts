import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { withFallback } from "./model.ts";
import { openStream } from "./open-stream.ts";

/** Answer of a model that the service uses itself and does not show. */
interface ModelReply {
  readonly text: string;
  /** True if the answer reached `maxOutputTokens`. What a reasoning model wrote until then can be its reasoning. */
  readonly isCut: boolean;
  /** Name of the model that answered: the requested one, or its fallback. */
  readonly modelId: string;
  /** Token usage; undefined if the provider did not report it. */
  readonly usage: LanguageModelV4Usage | undefined;
}

/**
 * Asks a model on behalf of the service, such as to summarize a conversation, and returns its complete answer. Tries the
 * fallback models as well.
 * @throws ServiceError as `openStream` throws it; the reason of the signal when it aborts
 */
export async function askModel(
  model: string,
  request: {
    readonly instructions: string;
    readonly text: string;
    readonly maxOutputTokens: number;
    readonly signal: AbortSignal;
  },
): Promise<ModelReply> {
  const { stream, modelId } = await openStream(withFallback(model), {
    prompt: [
      { role: "system", content: request.instructions },
      { role: "user", content: [{ type: "text", text: request.text }] },
    ],
    maxOutputTokens: request.maxOutputTokens,
    abortSignal: request.signal,
  });
  let text = "";
  let isCut = false;
  let usage: LanguageModelV4Usage | undefined;
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type !== "finish") continue;
    usage = part.usage;
    isCut = part.finishReason.unified === "length";
  }
  return { text, isCut, modelId, usage };
}
