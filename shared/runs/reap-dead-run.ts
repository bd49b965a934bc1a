import * as v from "valibot";
import { parseBlocks } from "../conversations/markdown-blocks.ts";
import { addMessage, findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { cancelIfPending } from "../governance/approvals/approval-store.ts";
import { returnReservations } from "../governance/budgets/ledger-store.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { recordMetrics } from "../lib/metrics.ts";
import { promptText } from "../models/prompt-text.ts";
import { toUsage } from "../models/tokens.ts";
import { eventId, type Frame, isTerminal, type RunEvent } from "./events.ts";
import { type PausedRun, PausedUsage, takePausedRun } from "./pauses/paused-run-store.ts";
import { readRunControl } from "./run-control-store.ts";
import type { EndReason } from "./run-controller.ts";
import { appendToRunLog, LogConflictError, readRunLog, readRunLogEnd } from "./run-log-store.ts";
import { recordMissedActivity, removeOrphanedRun, removeUnaskedRun, type StoredRun } from "./run-store.ts";
import { storeAnswerOfRun } from "./store-answer.ts";
import { finalEvents, toAnswerMessage } from "./to-answer-message.ts";
import { findLoggedCards } from "./tool-cards.ts";

/** Time without a heartbeat or log write after which a run can be considered dead. */
export const LIVENESS_TIMEOUT_MS = 15_000;

/**
 * Minimum time between two observations of the same last sign of life. One observation is not enough, because a slow
 * table or a busy machine can delay a heartbeat.
 */
const CONFIRMATION_MS = 5_000;

/** State of a run. `paused` while it waits for an approval or for another function to resume it. */
type RunState = "running" | "paused" | "ended";

/** Latest heartbeat or log write of a run. */
export interface LifeSign {
  /** Last sequence number in the log. */
  readonly seq: number;
  /** Epoch milliseconds of the last heartbeat or log write, by the clock of the run's function. */
  readonly lastSignAt: number;
  /** Epoch milliseconds at which this sign was first observed, by the clock of the observer. */
  readonly observedAt: number;
}

/** State of a run and, while it is running, its last sign of life. */
interface RunObservation {
  readonly state: RunState;
  readonly sign?: LifeSign;
}

/**
 * Ends a run whose function has died, and stores the part of its answer that is in the log. A run counts as dead if its
 * last sign of life is older than `LIVENESS_TIMEOUT_MS` and did not change between two calls. `run-watchdog.ts` and
 * `log-follower.ts` call it at intervals.
 * @param previous sign of life that the observer's previous call returned
 */
export async function reapDeadRun(scope: TenantScope, run: StoredRun, previous?: LifeSign): Promise<RunObservation> {
  const { last, lastWriteAt } = await readRunLogEnd(scope, run.message_id);
  if (last && isTerminal(last.event)) {
    if (last.event.type !== "done") await recoverLostAnswer(scope, run);
    return { state: "ended" };
  }
  const { alive_at, waits_until = 0 } = await readRunControl(scope, run.message_id, { consistent: true });
  if (waits_until > now()) return { state: "paused" };
  // A run sends no heartbeat while it writes its log.
  const lastSignAt = Math.max(alive_at ?? 0, lastWriteAt, Date.parse(run.created_at));
  const seq = last?.seq ?? 0;
  const isUnchanged = previous?.seq === seq && previous.lastSignAt === lastSignAt;
  const sign = { seq, lastSignAt, observedAt: isUnchanged ? previous.observedAt : now() };
  const isConfirmed = now() - sign.observedAt >= CONFIRMATION_MS;
  if (now() - lastSignAt < LIVENESS_TIMEOUT_MS || !isConfirmed) return { state: "running", sign };
  const { frames } = await readRunLog(scope, run.message_id);
  // The run has written since the first read, so it is alive.
  if (frames.at(-1)?.seq !== last?.seq) return { state: "running" };
  const paused = waits_until > 0 ? await takePausedRun(scope, run.message_id) : null;
  return { state: await endRun(scope, run, frames, { reason: waits_until > 0 ? "deadline" : "shutdown", paused }) };
}

/**
 * Ends a paused run: stores the part of the answer that is in the log, and cancels its pending approval. Does nothing
 * if the run is not paused.
 */
export async function cancelPausedRun(scope: TenantScope, run: StoredRun): Promise<void> {
  const paused = await takePausedRun(scope, run.message_id);
  if (!paused) return;
  const { frames } = await readRunLog(scope, run.message_id);
  await endRun(scope, run, frames, { reason: "stopped", paused });
  if (paused.approvalId) await cancelIfPending(scope, paused.approvalId);
}

/**
 * Stores the logged part of an answer if the log has a terminal event but the answer is missing, because the function
 * died or the table failed between the two writes.
 */
async function recoverLostAnswer(scope: TenantScope, run: StoredRun): Promise<void> {
  const { message_id, conversation_id } = run;
  if (await findMessage(scope, conversation_id, message_id)) return;
  if (await removeOrphanedRun(scope, run)) return;
  const { frames } = await readRunLog(scope, message_id);
  const text = loggedText(frames);
  log.warn("lost answer recovered", { message_id, saved_characters: text.length });
  await addMessage(scope, { ...partialAnswer(run, frames, null), status: text ? "interrupted" : "failed" });
}

/**
 * Stores the answer of a live run from its log, because the table was unavailable for longer than the run could retry.
 * Replaces a shorter part that the reaper may have stored.
 */
export async function storeLoggedAnswer(scope: TenantScope, run: StoredRun): Promise<void> {
  const { frames } = await readRunLog(scope, run.message_id);
  if (loggedText(frames).length > 0) await storeAnswerOfRun(scope, partialAnswer(run, frames, null));
}

interface RunEnd {
  readonly reason: EndReason;
  readonly paused: PausedRun | null;
}

function loggedText(frames: readonly Frame[]): string {
  return frames
    .map(({ event }) => (event.type === "assistant_message" && !event.data.final ? event.data.content : ""))
    .join("");
}

async function endRun(
  scope: TenantScope,
  run: StoredRun,
  frames: readonly Frame[],
  { reason, paused }: RunEnd,
): Promise<RunState> {
  if (await removeOrphanedRun(scope, run)) {
    await returnReservations(scope, run.message_id, run.charges);
    return "ended";
  }
  if (frames.length === 0 && (await removeUnaskedRun(scope, run))) return "ended";
  const text = loggedText(frames);
  const stored = await findMessage(scope, run.conversation_id, run.message_id);
  const events = stored ? missingEvents(run, stored, frames) : [interruptedEvent(run, frames, reason)];
  const nextSeq = (frames.at(-1)?.seq ?? 0) + 1;
  try {
    // The log is written before the message. If the function turns out to be alive, its next log write fails with a
    // conflict, and its own answer replaces the message when the run ends.
    await appendToRunLog(
      scope,
      run.message_id,
      events.map((event, index) => ({ seq: nextSeq + index, event })),
      { isReaper: true },
    );
  } catch (error) {
    if (error instanceof LogConflictError) return "running";
    throw error;
  }
  log.warn("dead run ended", { message_id: run.message_id, reason, saved_characters: text.length });
  // The function that died reported nothing.
  if (reason === "shutdown" && !stored) {
    recordMetrics({ metrics: { runs: 1, failed_runs: 1 }, dimensions: { model: run.model } });
  }
  await Promise.all([
    recordMissedActivity(scope, run),
    stored ?? addMessage(scope, partialAnswer(run, frames, paused)),
  ]);
  // A late start of the run may have been rolled back in the meantime.
  if (frames.length === 0) await removeUnaskedRun(scope, run);
  return "ended";
}

function interruptedEvent({ message_id }: StoredRun, frames: readonly Frame[], reason: EndReason): RunEvent {
  const last_event_id = eventId(message_id, frames.at(-1)?.seq ?? 0);
  return {
    type: "interrupted",
    data: { message_id, reason, saved_characters: loggedText(frames).length, last_event_id },
  };
}

/** Returns the events that the log lacks if a run has stored its answer but not logged its end. */
function missingEvents(run: StoredRun, stored: StoredMessage, frames: readonly Frame[]): RunEvent[] {
  if (stored.status !== "complete") return [interruptedEvent(run, frames, "shutdown")];
  const isMessageLogged = frames.some(({ event }) => event.type === "assistant_message" && event.data.final);
  const [message, done] = finalEvents(stored);
  return isMessageLogged ? [done] : [message, done];
}

/**
 * Returns the usage of an unfinished run: from the paused state if it was paused, estimated from the text if its
 * function died. Null if there is no text.
 */
function partialUsage({ model }: StoredRun, text: string, paused: PausedRun | null): StoredMessage["usage"] {
  if (!paused) return text.length > 0 ? toUsage(model, undefined, { input: "", output: text }) : null;
  const { modelId, usage, prompt } = v.parse(PausedUsage, JSON.parse(paused.state));
  return toUsage(modelId, usage, { input: promptText(prompt), output: text });
}

function partialAnswer(run: StoredRun, frames: readonly Frame[], paused: PausedRun | null): StoredMessage {
  const text = loggedText(frames);
  const usage = partialUsage(run, text, paused);
  const model = usage?.model ?? run.model;
  const tool_cards = findLoggedCards(run, frames);
  const content = parseBlocks(text);
  return toAnswerMessage(run, { content, status: "interrupted", model, usage, ...(tool_cards && { tool_cards }) });
}
