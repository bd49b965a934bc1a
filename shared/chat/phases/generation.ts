import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { StreamingRedactor } from "../../guardrails/streaming-redactor.ts";
import { now } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { withFallback } from "../../models/model.ts";
import { type OpenedStream, openStream } from "../../models/open-stream.ts";
import type { RunEvent } from "../../runs/events.ts";
import { promptOf } from "../prompt.ts";
import { thinkingComplete, thinkingStep } from "../thinking.ts";
import type { Tool } from "../tools/tool.ts";
import { toolsOf } from "../tools/tools.ts";
import { pendingCalls, useTools } from "../tools/use-tools.ts";
import type { Phase, Turn } from "../turn.ts";
import { addUsage } from "../usage.ts";

/** How often the model is asked for one answer. */
const roundsAtMost = 6;

/** Characters of an answer at most: it is one item of the table, which has 400 KB. */
const answerAtMost = 100_000;

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
    const steps = paragraphs.filter(Boolean);
    return this.#text.length > stepSize ? [...steps, ...this.rest()] : steps;
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

/** What the model said in one go, beside the text that was shown. */
interface Spoken {
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
}

async function* spoken(turn: Turn, stream: OpenedStream["stream"]): AsyncGenerator<RunEvent, Spoken> {
  const shown = turn.run.tier !== "QUICK";
  const before = turn.text.length;
  const calls: LanguageModelV4ToolCall[] = [];
  const reasoning = new Reasoning();
  const redactor = new StreamingRedactor();
  const steps = (details: string[]) => (shown ? details.map((detail) => thinkingStep(turn, "Reasoning", detail)) : []);
  for await (const part of stream) {
    if (part.type === "text-delta" && part.delta.length > 0) {
      turn.firstTokenAt ??= now();
      yield* steps(reasoning.rest());
      yield* thinkingComplete(turn);
      // What is said after a tool was used is a paragraph of its own.
      if (turn.text.length === before && before > 0) yield* said(turn, "\n\n");
      yield* said(turn, redactor.push(part.delta));
      if (turn.text.length > answerAtMost) throw new ServiceError("model_error", "The answer was too long to go on.");
    } else if (part.type === "reasoning-delta") {
      yield* steps(reasoning.take(part.delta));
    } else if (part.type === "tool-call") {
      calls.push(part);
    } else if (part.type === "finish") {
      addUsage(turn, part.usage);
    }
  }
  yield* said(turn, redactor.end());
  yield* steps(reasoning.rest());
  turn.redactions = [...turn.redactions, ...redactor.findings];
  return { text: turn.text.slice(before).trimStart(), calls };
}

/** Asks the model once. */
async function* ask(turn: Turn, tools: readonly Tool[], mayUseTools: boolean): AsyncGenerator<RunEvent, Spoken> {
  const { modelId, fellBack, stream } = await openStream(withFallback(turn.modelId), {
    prompt: turn.prompt,
    abortSignal: turn.signal,
    ...(tools.length > 0 && {
      tools: tools.map(({ definition }) => definition),
      toolChoice: { type: mayUseTools ? "auto" : "none" } as const,
    }),
    // Only the built-in model looks at this: it cannot read a prompt as others do.
    providerOptions: {
      builtin: {
        sources: turn.sources.map(({ title, text }) => ({ title, text })),
        needsCare: turn.needsCare,
        isVisitor: turn.principal.kind === "visitor",
      },
    },
  });
  turn.modelId = modelId;
  if (fellBack) {
    const message = "The model of choice did not answer; another one does.";
    yield { type: "preflight_warning", data: { code: "model_fallback", message } };
  }
  return yield* spoken(turn, stream);
}

/** The model speaks: every piece of text goes out as it comes. Where it may use tools, it speaks again after it did. */
export const generation: Phase = {
  name: "generation",
  async *run(turn) {
    if (turn.settled) return;
    const tools = toolsOf(turn);
    if (turn.rounds === 0) turn.prompt = promptOf(turn, { hasTools: tools.length > 0 });
    do {
      if (turn.pending) yield* useTools(turn, tools, turn.pending);
      turn.rounds++;
      const mayUseTools = turn.rounds < roundsAtMost;
      const { text, calls } = yield* ask(turn, tools, mayUseTools);
      if (mayUseTools && calls.length > 0) turn.pending = pendingCalls(text, calls);
    } while (turn.pending);
    yield* thinkingComplete(turn);
    if (turn.text.length === 0) throw new ServiceError("model_error", "The model gave no answer.");
  },
};
