import { blocksOf } from "../conversations/blocks.ts";
import { addMessage, findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { withdrawApproval } from "../governance/approvals/approval-store.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { promptText } from "../models/prompt-text.ts";
import { usageOf } from "../models/tokens.ts";
import { answerMessage, wholeAnswer } from "./answer-message.ts";
import type { EndReason } from "./end-reason.ts";
import { type Frame, isTerminal, type RunEvent } from "./events.ts";
import { type PausedRun, type PausedState, takePausedRun } from "./paused-run-store.ts";
import {
  appendToLog,
  catchUpActivity,
  LogTaken,
  readControl,
  readLog,
  readLogEnd,
  removeOrphan,
  type StoredRun,
} from "./run-store.ts";

/** A run that has given no sign of life for this long has died with its function, in milliseconds. */
export const lifeSpan = 15_000;

/** What became of a run that was looked at; `waiting` for somebody's word. */
export type RunState = "running" | "waiting" | "ended";

/**
 * Looks whether a run is still alive, and closes it in the name of its dead function if it is not: what was logged of
 * the answer is kept.
 */
export async function closeIfDead(scope: TenantScope, run: StoredRun): Promise<RunState> {
  const { last, writtenAt } = await readLogEnd(scope, run.message_id);
  if (last && isTerminal(last.event)) {
    if (last.event.type !== "done") await keepUnstored(scope, run);
    return "ended";
  }
  const { alive_at, waits_until = 0 } = await readControl(scope, run.message_id, { consistent: true });
  if (waits_until > now()) return "waiting";
  // While its log is being written, a run gives no other sign of life.
  const lastSign = Math.max(alive_at ?? 0, writtenAt, Date.parse(run.created_at));
  if (now() - lastSign < lifeSpan) return "running";
  const { frames } = await readLog(scope, run.message_id);
  // Not dead after all: it has written since.
  if (frames.at(-1)?.seq !== last?.seq) return "running";
  const paused = waits_until > 0 ? await takePausedRun(scope, run.message_id) : null;
  return close(scope, run, frames, { reason: waits_until > 0 ? "deadline" : "shutdown", paused });
}

/**
 * Ends a run that waits for somebody's word, if it does: what was said of the answer is kept, and nobody is asked any
 * more.
 */
export async function endWaiting(scope: TenantScope, run: StoredRun): Promise<void> {
  const paused = await takePausedRun(scope, run.message_id);
  if (!paused) return;
  const { frames } = await readLog(scope, run.message_id);
  await close(scope, run, frames, { reason: "stopped", paused });
  await withdrawApproval(scope, paused.approvalId);
}

/** Stores what was logged of an answer whose end is told, where the table failed or the function died before it was. */
async function keepUnstored(scope: TenantScope, run: StoredRun): Promise<void> {
  const { message_id, conversation_id } = run;
  if (await findMessage(scope, conversation_id, message_id)) return;
  if (await removeOrphan(scope, run)) return;
  const text = textOf((await readLog(scope, message_id)).frames);
  log.warn("answer stored late", { message_id, saved_characters: text.length });
  await addMessage(scope, { ...partialAnswer(run, text, null), status: text ? "interrupted" : "failed" });
}

/** Why a run is closed, and what was put aside of it. */
interface Closing {
  readonly reason: EndReason;
  readonly paused: PausedRun | null;
}

/** The text of an answer, as far as it was logged. */
function textOf(frames: readonly Frame[]): string {
  return frames
    .map(({ event }) => (event.type === "assistant_message" && !event.data.final ? event.data.content : ""))
    .join("");
}

async function close(
  scope: TenantScope,
  run: StoredRun,
  frames: readonly Frame[],
  { reason, paused }: Closing,
): Promise<RunState> {
  if (await removeOrphan(scope, run)) return "ended";
  const text = textOf(frames);
  const stored = await findMessage(scope, run.conversation_id, run.message_id);
  const events = stored ? endOf(run, stored, frames) : [interrupted(run, text, reason)];
  const next = (frames.at(-1)?.seq ?? 0) + 1;
  try {
    // The log first: a function that is not dead after all finds its place taken there, and gives up.
    await appendToLog(
      scope,
      run.message_id,
      events.map((event, index) => ({ seq: next + index, event })),
    );
  } catch (error) {
    if (error instanceof LogTaken) return "running";
    throw error;
  }
  log.warn("run closed, its function is gone", { message_id: run.message_id, reason, saved_characters: text.length });
  await Promise.all([catchUpActivity(scope, run), stored ?? addMessage(scope, partialAnswer(run, text, paused))]);
  return "ended";
}

const interrupted = ({ message_id }: StoredRun, text: string, reason: EndReason): RunEvent => ({
  type: "interrupted",
  data: { message_id, reason, saved_characters: text.length },
});

/** The frames that are missing after an answer was stored and before its end was logged. */
function endOf(run: StoredRun, stored: StoredMessage, frames: readonly Frame[]): RunEvent[] {
  if (stored.status !== "complete") return [interrupted(run, textOf(frames), "shutdown")];
  const isShown = frames.some(({ event }) => event.type === "assistant_message" && event.data.final);
  const [shown, end] = wholeAnswer(stored);
  return isShown ? [end] : [shown, end];
}

/** What a run took as far as that is known: the function that paused it has counted, one that died took it along. */
function usageUntil({ model }: StoredRun, text: string, paused: PausedRun | null): StoredMessage["usage"] {
  if (!paused) return text.length > 0 ? usageOf(model, undefined, { input: "", output: text }) : null;
  const { modelId, usage, prompt } = JSON.parse(paused.state) as PausedState;
  return usageOf(modelId, usage, { input: promptText(prompt), output: text });
}

function partialAnswer(run: StoredRun, text: string, paused: PausedRun | null): StoredMessage {
  const usage = usageUntil(run, text, paused);
  const model = usage?.model ?? run.model;
  return answerMessage(run, { content: blocksOf(text), status: "interrupted", model, usage });
}
