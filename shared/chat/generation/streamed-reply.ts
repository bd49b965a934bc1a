import type { LanguageModelV4StreamPart, LanguageModelV4ToolCall } from "@ai-sdk/provider";
import { StreamingRedactor } from "../../guardrails/streaming-redactor.ts";
import { now } from "../../lib/clock.ts";
import { truncateToBytes } from "../../lib/truncate.ts";
import type { OperationTiming, RunEvent } from "../../runs/events.ts";
import { RunEnded } from "../../runs/run-controller.ts";
import { REASONING_TITLE } from "../../runs/streams/ui-parts.ts";
import { addUsage } from "../add-usage.ts";
import { answerProtection } from "../answer-protection.ts";
import type { ModelResponse } from "../attached-investigation.ts";
import { thinkingComplete, thinkingStep } from "../thinking.ts";
import type { AnswerDraft, Turn } from "../turn.ts";
import { limit, textEvents } from "./emit-text.ts";
import { ReasoningSplitter } from "./reasoning-splitter.ts";

/**
 * Maximum size of an answer in characters and in UTF-8 bytes. It is stored with its citations as one DynamoDB item of
 * at most 400 KB.
 */
const MAX_ANSWER_CHARACTERS = 100_000;
const MAX_ANSWER_BYTES = 280_000;

/** Returns the number of bytes that can still be added to the answer. For a short answer, it is a lower bound. */
const remainingBytes = ({ text }: AnswerDraft) =>
  // UTF-8 takes at most three bytes per UTF-16 code unit, so an exact count is only necessary for long answers.
  text.length * 3 < MAX_ANSWER_BYTES / 2 ? MAX_ANSWER_BYTES / 2 : MAX_ANSWER_BYTES - Buffer.byteLength(text);

/**
 * Response of one model call while it streams. Appends its redacted text to the answer and returns the events for
 * clients: text, unless the answer is held, and in tiers above QUICK also the reasoning as steps.
 */
export class StreamedReply {
  readonly #turn: Turn;
  readonly #call: OperationTiming;
  readonly #calls: LanguageModelV4ToolCall[] = [];
  readonly #start: number;
  readonly #redactor: StreamingRedactor;
  readonly #reasoning: ReasoningSplitter;

  /** @param call entry of the model call in the turn's record, which gets the time of the first chunk and the usage */
  constructor(turn: Turn, call: OperationTiming) {
    const protection = answerProtection(turn);
    this.#turn = turn;
    this.#call = call;
    this.#start = turn.answer.text.length;
    this.#redactor = new StreamingRedactor(turn.guardrails, protection);
    this.#reasoning = new ReasoningSplitter(new StreamingRedactor(turn.guardrails, protection));
  }

  /**
   * Reads the next part of the response.
   * @throws RunEnded `length` when the answer has reached its maximum size, after the events of what still fits
   */
  *read(part: LanguageModelV4StreamPart): Generator<RunEvent, void> {
    const { answer, record } = this.#turn;
    if (part.type.endsWith("-delta") || part.type === "tool-call") {
      this.#call.first_chunk_ms ??= now() - Date.parse(this.#call.started_at);
    }
    if (part.type === "text-delta" && part.delta.length > 0) {
      if (!answer.isHeld) record.firstTokenAt ??= now();
      yield* this.#steps(this.#reasoning.flush());
      yield* thinkingComplete(this.#turn);
      // Text that follows a tool call starts a new paragraph.
      if (answer.text.length === this.#start && this.#start > 0) yield* this.#emit("\n\n");
      yield* this.#emit(this.#redactor.push(part.delta));
    } else if (part.type === "reasoning-delta") {
      yield* this.#steps(this.#reasoning.push(part.delta));
    } else if (part.type === "tool-call") {
      this.#calls.push(part);
    } else if (part.type === "finish") {
      answer.isCut = part.finishReason.unified === "length";
      addUsage(this.#turn, part.usage, this.#call);
    }
  }

  /** Emits the text that the redactor holds back because it might become a match. No text may follow. */
  *flush(): Generator<RunEvent, void> {
    yield* this.#emit(this.#redactor.end());
  }

  /** Ends a complete response. */
  *end(): Generator<RunEvent, ModelResponse> {
    const { answer } = this.#turn;
    yield* this.flush();
    yield* this.#steps(this.#reasoning.flush());
    answer.redactions = [...answer.redactions, ...this.#redactor.findings];
    answer.redactedFormats = [...answer.redactedFormats, ...this.#redactor.rules];
    answer.isWithheld ||= this.#redactor.isWithheld;
    return { text: answer.text.slice(this.#start).trimStart(), calls: this.#calls };
  }

  #steps(details: readonly string[]): RunEvent[] {
    // Reasoning repeats parts of the answer, so it is not shown before the answer may be shown.
    if (this.#turn.run.tier === "QUICK" || this.#turn.answer.isHeld) return [];
    return details.map((detail) => thinkingStep(this.#turn, REASONING_TITLE, detail));
  }

  *#emit(content: string): Generator<RunEvent, void> {
    const { answer } = this.#turn;
    const accepted = truncateToBytes(
      limit(content, MAX_ANSWER_CHARACTERS - answer.text.length),
      remainingBytes(answer),
    );
    answer.text += accepted;
    if (!answer.isHeld) yield* textEvents(this.#turn, accepted);
    if (accepted.length < content.length) throw new RunEnded("length");
  }
}
