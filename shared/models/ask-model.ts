import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { withFallback } from "./model.ts";
import { openStream } from "./open-stream.ts";

/** Short answer of a model that readers do not see. */
export interface ModelReply {
  readonly text: string;
  /** Model that answered: the first one or its fallback. */
  readonly modelId: string;
  /** Undefined if the provider reported none. */
  readonly usage: LanguageModelV4Usage | undefined;
}

/**
 * Asks a model something other than the user's question.
 * @throws ServiceError as `openStream`; the reason of the signal when it aborts
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
  let usage: LanguageModelV4Usage | undefined;
  for await (const part of stream) {
    if (part.type === "text-delta") text += part.delta;
    if (part.type === "finish") usage = part.usage;
  }
  return { text, modelId, usage };
}
