import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { now } from "../../clock.ts";
import { ServiceError } from "../../errors.ts";
import type { Phase } from "../turn.ts";

/** An error part of a provider's stream, as an error. */
function streamError(part: Extract<LanguageModelV4StreamPart, { type: "error" }>): Error {
  return part.error instanceof Error
    ? part.error
    : new Error("The provider's stream reported an error", { cause: part.error });
}

/** The model speaks: every piece of text goes out as it comes. */
export const generation: Phase = {
  name: "generation",
  async *run(turn) {
    if (!turn.model) throw new Error("No model was chosen");
    const { stream } = await turn.model.doStream({ prompt: turn.prompt, abortSignal: turn.signal });
    for await (const part of stream) {
      if (part.type === "text-delta" && part.delta.length > 0) {
        turn.firstTokenAt ??= now();
        turn.text += part.delta;
        yield {
          type: "assistant_message",
          data: { message_id: turn.run.message_id, content: part.delta, final: false },
        };
      } else if (part.type === "finish") {
        turn.usage = part.usage;
      } else if (part.type === "error") {
        throw streamError(part);
      }
    }
    if (turn.text.length === 0) throw new ServiceError("model_error", "The model gave no answer.");
  },
};
