import { now, timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { wholeAnswer } from "../runs/answer-message.ts";
import { endReasonOf, RunEnded } from "../runs/end-reason.ts";
import type { RunEvent } from "../runs/events.ts";
import { RunPaused } from "./pause-turn.ts";
import { commit, storeAnswer } from "./phases/commit.ts";
import { generation } from "./phases/generation.ts";
import { inputCheck } from "./phases/input-check.ts";
import { outputCheck } from "./phases/output-check.ts";
import { preflight } from "./phases/preflight.ts";
import { proposals } from "./phases/proposals.ts";
import { retrieval } from "./phases/retrieval.ts";
import type { Phase, Turn } from "./turn.ts";

/** The way from a question to its answer. */
const phases: readonly Phase[] = [preflight, inputCheck, retrieval, generation, outputCheck, proposals, commit];

function metadata({ run }: Turn): RunEvent {
  const { request_id, conversation_id, user_message_id, message_id, tier, model, created_at } = run;
  return {
    type: "metadata",
    data: { request_id, conversation_id, user_message_id, message_id, tier, model, created_at },
  };
}

/** What is still to be done for a turn: everything, or, where it was put aside, all from where it paused. */
const phasesOf = ({ pending }: Turn) => (pending ? phases.slice(phases.indexOf(generation)) : phases);

/**
 * Everything that happens in a run, in order; the last event is always `done`, `interrupted` or `error`, unless the
 * run pauses, to be gone on with by another call.
 */
export async function* runEvents(turn: Turn): AsyncGenerator<RunEvent, void> {
  const { run, startedAt } = turn;
  if (!turn.pending) yield metadata(turn);
  let blockCount = 0;
  try {
    for (const phase of phasesOf(turn)) {
      for await (const event of timed(phase, turn)) {
        if (event.type === "assistant_message" && event.data.final) blockCount = event.data.content.length;
        yield event;
      }
    }
  } catch (error) {
    if (error instanceof RunPaused) return;
    yield* await ending(turn, error);
    return;
  }
  yield {
    type: "execution_trace",
    data: {
      phases: turn.timings,
      total_ms: now() - startedAt,
      time_to_first_token_ms: turn.firstTokenAt === null ? null : turn.firstTokenAt - startedAt,
    },
  };
  yield { type: "done", data: { message_id: run.message_id, block_count: blockCount } };
}

async function* timed(phase: Phase, turn: Turn): AsyncGenerator<RunEvent, void> {
  const startedAt = now();
  yield* phase.run(turn);
  const duration_ms = now() - startedAt;
  turn.timings.push({ phase: phase.name, started_at: timestamp(startedAt), duration_ms });
  yield { type: "phase_latency", data: { phase: phase.name, duration_ms } };
}

/** How a run ends that could not finish: what was generated is kept, whatever the reason. */
async function ending(turn: Turn, error: unknown): Promise<RunEvent[]> {
  const reason = error instanceof RunEnded ? error.reason : endReasonOf(turn.signal);
  const { message_id, request_id } = turn.run;
  if (!reason) log.warn("run failed", { request_id, message_id, error });
  const isKept = reason !== null || turn.text.length > 0;
  const stored = await storeAnswer(turn, isKept ? "interrupted" : "failed");
  // It had been stored whole, and only the table's word on that was lost.
  if (stored.status === "complete") return wholeAnswer(stored);
  if (isKept) {
    const data = { message_id, reason: reason ?? ("provider" as const), saved_characters: turn.text.length };
    return [{ type: "interrupted", data }];
  }
  const known = error instanceof ServiceError ? error : new ServiceError("internal_error", undefined, { cause: error });
  const { code, message, status } = known;
  return [{ type: "error", data: { code, message, status, request_id, message_id } }];
}
