import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { now } from "../../clock.ts";
import { ServiceError } from "../../errors.ts";
import type { RunEvent } from "../events.ts";
import { StreamingRedactor } from "../guardrails/streaming-redactor.ts";
import { withFallback } from "../models/model.ts";
import { openStream } from "../models/open-stream.ts";
import { promptOf } from "../prompt.ts";
import { thinkingComplete, thinkingStep } from "../thinking.ts";
import type { Phase, Turn } from "../turn.ts";
import { addUsage } from "../usage.ts";

/** Characters of a model's reasoning that make a step by themselves; a paragraph makes one anyway. */
const stepSize = 400;

/** A model's reasoning, cut into steps that a person can follow. */
class Reasoning {
  #text = "";

  /** The steps that are whole with this piece. */
  take(delta: string): string[] {
    this.#text += delta;
    const paragraphs = this.#text.split(/\n{2,}/);
    this.#text = paragraphs.pop() ?? "";
    return this.#text.length > stepSize ? [...paragraphs, ...this.rest()] : paragraphs.filter(Boolean);
  }

  /** What is left at the end. */
  rest(): string[] {
    const rest = this.#text.trim();
    this.#text = "";
    return rest ? [rest] : [];
  }
}

/** A piece of the answer, where there is one to show. */
function said(turn: Turn, content: string): RunEvent[] {
  turn.text += content;
  const { message_id } = turn.run;
  return content ? [{ type: "assistant_message", data: { message_id, content, final: false } }] : [];
}

async function* spoken(turn: Turn, stream: AsyncGenerator<LanguageModelV4StreamPart>): AsyncGenerator<RunEvent, void> {
  const shown = turn.run.tier !== "QUICK";
  const reasoning = new Reasoning();
  const redactor = new StreamingRedactor();
  const steps = (details: string[]) => (shown ? details.map((detail) => thinkingStep(turn, "Reasoning", detail)) : []);
  for await (const part of stream) {
    if (part.type === "text-delta" && part.delta.length > 0) {
      if (turn.firstTokenAt === null) {
        turn.firstTokenAt = now();
        yield* steps(reasoning.rest());
        yield* thinkingComplete(turn);
      }
      yield* said(turn, redactor.push(part.delta));
    } else if (part.type === "reasoning-delta") {
      yield* steps(reasoning.take(part.delta));
    } else if (part.type === "finish") {
      addUsage(turn, part.usage);
    }
  }
  yield* said(turn, redactor.end());
  turn.redactions = redactor.findings;
}

/** The model speaks: every piece of text goes out as it comes. */
export const generation: Phase = {
  name: "generation",
  async *run(turn) {
    if (turn.settled) return;
    const { modelId, fellBack, stream } = await openStream(withFallback(turn.run.model), {
      prompt: promptOf(turn),
      abortSignal: turn.signal,
      // Only the built-in model looks at this: it has no way to read sources out of a prompt.
      providerOptions: { builtin: { sources: turn.sources.map(({ title, text }) => ({ title, text })) } },
    });
    turn.modelId = modelId;
    if (fellBack) {
      const message = "The model of choice did not answer; another one does.";
      yield { type: "preflight_warning", data: { code: "model_fallback", message } };
    }
    yield* spoken(turn, stream);
    if (turn.text.length === 0) throw new ServiceError("model_error", "The model gave no answer.");
  },
};
