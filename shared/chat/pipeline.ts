import { toUnavailable } from "../dynamodb/is-retryable-error.ts";
import { now, timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { countInFunction } from "../lib/metrics.ts";
import { toFailure } from "../models/provider-error.ts";
import type { RunEvent } from "../runs/events.ts";
import { findEndReason, RunEnded } from "../runs/run-controller.ts";
import { finalEvents } from "../runs/to-answer-message.ts";
import { RunPaused } from "./pause-turn.ts";
import { commit, storeAnswer, toFinish } from "./phases/commit.ts";
import { generation } from "./phases/generation.ts";
import { inputCheck } from "./phases/input-check.ts";
import { outputCheck } from "./phases/output-check.ts";
import type { Phase } from "./phases/phase.ts";
import { preflight } from "./phases/preflight.ts";
import { proposals } from "./phases/proposals.ts";
import { retrieval } from "./phases/retrieval.ts";
import type { Turn } from "./turn.ts";

const phases: readonly Phase[] = [preflight, inputCheck, retrieval, generation, outputCheck, proposals, commit];

function metadata({ run }: Turn): RunEvent {
  const { request_id, conversation_id, user_message_id, message_id, tier, model, persona_version, created_at } = run;
  const ids = { request_id, conversation_id, user_message_id, message_id };
  const origin = { model, persona_version, digital_source_type: "trainedAlgorithmicMedia" } as const;
  return { type: "metadata", data: { ...ids, tier, ...origin, created_at } };
}

/** Returns all phases, or, for a turn that was paused, the phases from `generation` on: only that phase can pause. */
const remainingPhases = ({ answer }: Turn) =>
  answer.pendingToolCalls ? phases.slice(phases.indexOf(generation)) : phases;

/**
 * Executes a turn and yields its events. The last event is `done`, `interrupted` or `error`, unless the run pauses or
 * is handed over.
 */
export async function* executeTurn(turn: Turn): AsyncGenerator<RunEvent, void> {
  const { run, startedAt, record } = turn;
  if (!turn.answer.pendingToolCalls) yield metadata(turn);
  try {
    for (const phase of remainingPhases(turn)) {
      const phaseStartedAt = now();
      let duration_ms = 0;
      try {
        // Not by `runPhase`, which would be one more step for each token.
        Object.assign(turn, yield* phase.run(turn));
      } finally {
        duration_ms = now() - phaseStartedAt;
        record.timings.push({ phase: phase.name, started_at: timestamp(phaseStartedAt), duration_ms });
      }
      yield { type: "phase_latency", data: { phase: phase.name, duration_ms } };
    }
  } catch (error) {
    if (error instanceof RunPaused) return;
    yield* await endEarly(turn, error);
    return;
  }
  yield {
    type: "execution_trace",
    data: {
      phases: record.timings,
      ...(record.toolCalls.length > 0 && { tool_calls: record.toolCalls }),
      ...(record.operations.length > 1 && { operations: record.operations }),
      total_ms: now() - startedAt,
      time_to_first_token_ms: record.firstTokenAt === null ? null : record.firstTokenAt - startedAt,
    },
  };
  const data = { message_id: run.message_id, block_count: turn.blockCount, ...toFinish(turn.answer) };
  yield { type: "done", data };
}

/** HTTP statuses with which providers refuse the content or the length of a request. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 403, 413, 422]);

/**
 * Returns true if the provider refused the content or the length of the prompt, so that the same question would fail
 * again.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { status } = toFailure(error.cause);
  return error.code === "context_length_exceeded" || (status !== undefined && refusalStatuses.has(status));
}

/**
 * Stores the text that was generated before a failure or stop, unless it is held for a check, and returns the last
 * event.
 */
async function endEarly(turn: Turn, error: unknown): Promise<RunEvent[]> {
  const reason = error instanceof RunEnded ? error.reason : findEndReason(turn.signal);
  const { message_id, request_id } = turn.run;
  if (!reason) log.warn("run failed", { request_id, message_id, error });
  // Text that was not checked is neither shown nor stored.
  if (turn.answer.isHeld) turn.answer.text = "";
  const isInterrupted = reason !== null || turn.answer.text.length > 0;
  const expected = toUnavailable(error);
  if (!reason && !(expected instanceof ServiceError)) countInFunction("code_faults");
  const { code, message, status } =
    expected instanceof ServiceError ? expected : new ServiceError("internal_error", undefined, { cause: error });
  const stored = isInterrupted
    ? await storeAnswer(turn, "interrupted")
    : await storeAnswer(turn, "failed", { error: { code, message }, is_refused: isRefusal(expected) });
  // The complete answer was stored, but the acknowledgement of that write was lost.
  if (stored.status === "complete") return finalEvents(stored);
  if (isInterrupted) {
    const data = { message_id, reason: reason ?? ("provider" as const), saved_characters: turn.answer.text.length };
    return [{ type: "interrupted", data }];
  }
  return [{ type: "error", data: { code, message, status, request_id, message_id } }];
}
