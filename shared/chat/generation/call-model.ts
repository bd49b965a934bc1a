import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { now } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { getInputs } from "../../models/capabilities.ts";
import { withFallback } from "../../models/model.ts";
import { openStream } from "../../models/open-stream.ts";
import type { RunEvent } from "../../runs/events.ts";
import { RunEnded } from "../../runs/run-controller.ts";
import { addModelCall } from "../add-usage.ts";
import type { ModelResponse } from "../attached-investigation.ts";
import { buildPrompt, filledShare, shortenPrompt } from "../context/build-prompt.ts";
import { boundPrompt, boundTokens } from "../context/token-bounds.ts";
import { hasImages, withImages } from "../retrieval/read-files.ts";
import type { Tool } from "../tools/tool.ts";
import type { AnswerDraft, Turn } from "../turn.ts";
import { StreamedReply } from "./streamed-reply.ts";

/**
 * Returns the model of a turn and its fallback models. For a prompt with images, only fallback models that accept
 * images.
 */
function modelsFor({ modelId, prompt }: AnswerDraft): readonly [string, ...string[]] {
  const [first, ...others] = withFallback(modelId);
  return [first, ...others.filter((name) => !hasImages(prompt) || getInputs(name).includes("image"))];
}

async function toCallOptions(
  turn: Turn,
  tools: readonly Tool[],
  canUseTools: boolean,
): Promise<LanguageModelV4CallOptions> {
  const { persona } = turn;
  return {
    prompt: await withImages(turn),
    abortSignal: turn.signal,
    ...(typeof persona?.temperature === "number" && { temperature: persona.temperature }),
    ...(typeof persona?.max_output_tokens === "number" && { maxOutputTokens: persona.max_output_tokens }),
    ...(tools.length > 0 && {
      tools: tools.map(({ definition }) => definition),
      toolChoice: { type: canUseTools ? "auto" : "none" } as const,
    }),
  };
}

/**
 * Maximum number of attempts if the provider rejects the prompt as too long, and the size of each prompt relative to
 * the one before.
 */
const MAX_ATTEMPTS = 5;
const SHORTER_SHARE = 0.6;

/** Returns the error for a prompt that cannot be shortened further. It names the part to shorten. */
function toTooLong({ persona, questionText }: Turn, error: ServiceError): ServiceError {
  const [instructions, question] = [boundTokens(persona?.instructions ?? ""), boundTokens(questionText)];
  const [part, advice] =
    instructions > question
      ? ["The instructions of the persona are", "Shorten them, or choose a model with a larger context window."]
      : ["The message is", "Shorten it, or attach its text as a file."];
  const message = `${part} too long for the context window of the language model. ${advice}`;
  return new ServiceError("context_length_exceeded", message, { cause: error.cause ?? error });
}

/**
 * Shortens the prompt after the provider has rejected it as too long.
 * @throws ServiceError if another prompt would be as long, because of the instructions of the persona or the question
 */
function shortenRejected(turn: Turn, tools: readonly Tool[], error: ServiceError): void {
  const { answer } = turn;
  answer.promptTokens = null;
  answer.contextScale = filledShare(turn) * SHORTER_SHARE;
  const shorter = answer.rounds === 1 ? buildPrompt(turn, tools) : shortenPrompt(turn, tools);
  if (boundPrompt(shorter) >= boundPrompt(answer.prompt)) throw toTooLong(turn, error);
  answer.prompt = shorter;
}

/**
 * Calls the model, or a fallback model if it is unavailable, and emits its response while it streams. If the provider
 * rejects the prompt as too long, repeats the call with shorter prompts.
 */
export async function* callModel(
  turn: Turn,
  tools: readonly Tool[],
  canUseTools: boolean,
): AsyncGenerator<RunEvent, ModelResponse> {
  for (let attempt = 1; ; attempt++) {
    const startedAtMs = now();
    try {
      const { modelId, fellBack, stream } = await openStream(
        modelsFor(turn.answer),
        await toCallOptions(turn, tools, canUseTools),
      );
      turn.answer.modelId = modelId;
      if (fellBack) {
        const message = "Primary model unavailable; using the fallback.";
        yield { type: "preflight_warning", data: { code: "model_fallback", message } };
      }
      const call = addModelCall(turn, startedAtMs);
      const reply = new StreamedReply(turn, call);
      try {
        for await (const part of stream) {
          for (const event of reply.read(part)) yield event;
        }
      } catch (error) {
        if (!(error instanceof RunEnded)) yield* reply.flush();
        throw error;
      } finally {
        call.duration_ms = now() - startedAtMs;
      }
      return yield* reply.end();
    } catch (error) {
      const isTooLong = error instanceof ServiceError && error.code === "context_length_exceeded";
      if (!isTooLong) throw error;
      if (attempt === MAX_ATTEMPTS) throw toTooLong(turn, error);
      shortenRejected(turn, tools, error);
    }
  }
}
