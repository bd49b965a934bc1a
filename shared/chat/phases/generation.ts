import type { LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { StreamingRedactor } from "../../guardrails/streaming-redactor.ts";
import { now } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { truncateToBytes } from "../../lib/truncate.ts";
import { getInputs } from "../../models/capabilities.ts";
import { withFallback } from "../../models/model.ts";
import { type ModelStream, openStream } from "../../models/open-stream.ts";
import type { OperationTiming, RunEvent } from "../../runs/events.ts";
import { RunEnded } from "../../runs/run-controller.ts";
import { addModelCall, addUsage } from "../add-usage.ts";
import { answerProtection } from "../answer-protection.ts";
import { findInvestigationSteps, type ModelResponse } from "../attached-investigation.ts";
import { findAttachedTools } from "../attached-tools.ts";
import { buildPrompt, filledShare, shortenPrompt } from "../context/build-prompt.ts";
import { boundPrompt } from "../context/token-bounds.ts";
import { limit, textEvents } from "../emit-text.ts";
import { hasImages, withImages } from "../read-files.ts";
import { thinkingComplete, thinkingStep } from "../thinking.ts";
import { withResultReader } from "../tools/long-results.ts";
import type { Tool } from "../tools/tool.ts";
import { toolRounds } from "../tools/tool-rounds.ts";
import { getTools } from "../tools/tools.ts";
import { toPendingToolCalls, useTools } from "../tools/use-tools.ts";
import type { Phase, Turn } from "../turn.ts";

/**
 * Maximum size of an answer in characters and in UTF-8 bytes. It is stored with its citations as one DynamoDB item of
 * at most 400 KB.
 */
const MAX_ANSWER_CHARACTERS = 100_000;
const MAX_ANSWER_BYTES = 280_000;

/** Number of characters after which an incomplete paragraph of reasoning is emitted as a step. */
const MAX_STEP_CHARACTERS = 400;

/** Redacts a model's reasoning and splits it into steps: paragraphs, or parts of long ones. */
class ReasoningSplitter {
  readonly #redactor: StreamingRedactor;
  #text = "";

  constructor(redactor: StreamingRedactor) {
    this.#redactor = redactor;
  }

  /** Adds a delta and returns the steps that are now complete. */
  push(delta: string): string[] {
    this.#text += this.#redactor.push(delta);
    const paragraphs = this.#text.split(/\n{2,}/);
    this.#text = paragraphs.pop() ?? "";
    const steps = paragraphs.filter(Boolean);
    return this.#text.length > MAX_STEP_CHARACTERS ? [...steps, ...this.#take()] : steps;
  }

  /** Returns the rest of the text as a last step, or no step if it is empty. */
  flush(): string[] {
    this.#text += this.#redactor.end();
    return this.#take();
  }

  #take(): string[] {
    const rest = this.#text.trim();
    this.#text = "";
    return rest ? [rest] : [];
  }
}

/**
 * Appends text to the answer and yields its events, unless `isHeld` delays them until the check of the whole answer.
 * @throws RunEnded `length` when the answer has reached its maximum size
 */
function* emitText(turn: Turn, content: string): Generator<RunEvent, void> {
  const accepted = truncateToBytes(limit(content, MAX_ANSWER_CHARACTERS - turn.text.length), remainingBytes(turn));
  turn.text += accepted;
  if (!turn.isHeld) yield* textEvents(turn, accepted);
  if (accepted.length < content.length) throw new RunEnded("length");
}

/** Returns the number of bytes that can still be added to the answer. For a short answer, it is a lower bound. */
const remainingBytes = ({ text }: Turn) =>
  // UTF-8 takes at most three bytes per UTF-16 code unit, so an exact count is only necessary for long answers.
  text.length * 3 < MAX_ANSWER_BYTES / 2 ? MAX_ANSWER_BYTES / 2 : MAX_ANSWER_BYTES - Buffer.byteLength(text);

/**
 * Emits a model's response while it streams: the redacted text, and in tiers above QUICK also the reasoning as steps.
 */
async function* streamCompletion(
  turn: Turn,
  stream: ModelStream["stream"],
  call: OperationTiming,
): AsyncGenerator<RunEvent, ModelResponse> {
  // Reasoning repeats parts of the answer, so it is not shown before the answer may be shown.
  const showsReasoning = turn.run.tier !== "QUICK" && !turn.isHeld;
  const start = turn.text.length;
  const calls: LanguageModelV4ToolCall[] = [];
  const protection = answerProtection(turn);
  const reasoning = new ReasoningSplitter(new StreamingRedactor(turn.guardrails, protection));
  const redactor = new StreamingRedactor(turn.guardrails, protection);
  const emitSteps = (details: string[]) =>
    showsReasoning ? details.map((detail) => thinkingStep(turn, "Reasoning", detail)) : [];
  try {
    for await (const part of stream) {
      if (part.type.endsWith("-delta") || part.type === "tool-call") {
        call.first_chunk_ms ??= now() - Date.parse(call.started_at);
      }
      if (part.type === "text-delta" && part.delta.length > 0) {
        if (!turn.isHeld) turn.firstTokenAt ??= now();
        yield* emitSteps(reasoning.flush());
        yield* thinkingComplete(turn);
        // Text that follows a tool call starts a new paragraph.
        if (turn.text.length === start && start > 0) yield* emitText(turn, "\n\n");
        yield* emitText(turn, redactor.push(part.delta));
      } else if (part.type === "reasoning-delta") {
        yield* emitSteps(reasoning.push(part.delta));
      } else if (part.type === "tool-call") {
        calls.push(part);
      } else if (part.type === "finish") {
        addUsage(turn, part.usage, call);
      }
    }
  } catch (error) {
    // The redactor holds back text that might become a match. The stream has ended, so the rest is final.
    if (!(error instanceof RunEnded)) yield* emitText(turn, redactor.end());
    throw error;
  }
  yield* emitText(turn, redactor.end());
  yield* emitSteps(reasoning.flush());
  turn.redactions = [...turn.redactions, ...redactor.findings];
  turn.redactedFormats = [...turn.redactedFormats, ...redactor.rules];
  turn.isWithheld ||= redactor.isWithheld;
  return { text: turn.text.slice(start).trimStart(), calls };
}

/**
 * Returns the model of a turn and its fallback models. For a prompt with images, only fallback models that accept
 * images.
 */
function modelsFor({ modelId, prompt }: Turn): readonly [string, ...string[]] {
  const [first, ...others] = withFallback(modelId);
  return [first, ...others.filter((name) => !hasImages(prompt) || getInputs(name).includes("image"))];
}

/** Calls the model, or a fallback model if it is unavailable, once. */
async function* callModel(
  turn: Turn,
  tools: readonly Tool[],
  canUseTools: boolean,
): AsyncGenerator<RunEvent, ModelResponse> {
  const startedAtMs = now();
  const { modelId, fellBack, stream } = await openStream(modelsFor(turn), {
    prompt: await withImages(turn),
    abortSignal: turn.signal,
    ...(typeof turn.persona?.temperature === "number" && { temperature: turn.persona.temperature }),
    ...(typeof turn.persona?.max_output_tokens === "number" && { maxOutputTokens: turn.persona.max_output_tokens }),
    ...(tools.length > 0 && {
      tools: tools.map(({ definition }) => definition),
      toolChoice: { type: canUseTools ? "auto" : "none" } as const,
    }),
    // Structured input for the built-in model, which does not interpret prompts.
    providerOptions: {
      builtin: {
        sources: [
          ...turn.sources.map(({ title, text }) => ({ title, text })),
          ...turn.files.map(({ file_name, text }) => ({ title: file_name, text, isFile: true })),
        ],
        isInCrisis: turn.isInCrisis,
        isVisitor: turn.principal.kind === "visitor",
        hasSearched: turn.run.tier !== "QUICK",
        question: turn.questionText,
        searchedQuestion: turn.searchedQuestion,
        unansweredParts: turn.unansweredParts,
        canRemember: turn.canRemember,
      },
    },
  });
  turn.modelId = modelId;
  if (fellBack) {
    const message = "Primary model unavailable; using the fallback.";
    yield { type: "preflight_warning", data: { code: "model_fallback", message } };
  }
  const call = addModelCall(turn, startedAtMs);
  try {
    return yield* streamCompletion(turn, stream, call);
  } finally {
    call.duration_ms = now() - startedAtMs;
  }
}

/**
 * Maximum number of attempts if the provider rejects the prompt as too long, and the size of each prompt relative to
 * the one before.
 */
const MAX_ATTEMPTS = 5;
const SHORTER_SHARE = 0.6;

/** Calls the model. If the provider rejects the prompt as too long, repeats the call with shorter prompts. */
async function* callFitting(
  turn: Turn,
  tools: readonly Tool[],
  canUseTools: boolean,
): AsyncGenerator<RunEvent, ModelResponse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return yield* callModel(turn, tools, canUseTools);
    } catch (error) {
      const isTooLong = error instanceof ServiceError && error.code === "context_length_exceeded";
      if (!isTooLong || attempt === MAX_ATTEMPTS) throw error;
      turn.contextScale = filledShare(turn) * SHORTER_SHARE;
      const shorter = turn.rounds === 1 ? buildPrompt(turn, { hasTools: tools.length > 0 }) : shortenPrompt(turn);
      // The question alone is too long: another attempt would be refused, too.
      if (boundPrompt(shorter) >= boundPrompt(turn.prompt)) throw error;
      turn.prompt = shorter;
    }
  }
}

/**
 * Calls the model and executes its tool calls in turn, until a response has none or the maximum number of rounds is
 * reached.
 */
async function* answer(turn: Turn, tools: readonly Tool[]): AsyncGenerator<RunEvent, void> {
  if (turn.rounds === 0) turn.prompt = buildPrompt(turn, { hasTools: tools.length > 0 });
  // Without another round, the model could not read the rest of a result.
  turn.longResults = toolRounds(turn.run.tier) > 1 ? (turn.longResults ?? new Map()) : null;
  do {
    if (turn.pendingToolCalls) yield* useTools(turn, withResultReader(turn, tools), turn.pendingToolCalls);
    turn.rounds++;
    const canUseTools = turn.rounds <= toolRounds(turn.run.tier);
    if (turn.rounds > 1) turn.prompt = shortenPrompt(turn);
    const { text, calls } = yield* callFitting(turn, withResultReader(turn, tools), canUseTools);
    if (canUseTools && calls.length > 0 && !turn.isWithheld) turn.pendingToolCalls = toPendingToolCalls(text, calls);
  } while (turn.pendingToolCalls);
}

export const generation: Phase = {
  name: "generation",
  async *run(turn) {
    if (turn.isFinal) return;
    try {
      const steps = findInvestigationSteps(turn);
      yield* steps ? steps.investigate(turn, getTools(turn), callFitting) : answer(turn, getTools(turn));
    } finally {
      await findAttachedTools(turn)?.close();
    }
    yield* thinkingComplete(turn);
    if (turn.text.length === 0) throw new ServiceError("model_error", "The model returned an empty answer.");
  },
};
