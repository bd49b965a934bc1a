import { now } from "../clock.ts";
import { addMessage, findMessage, type StoredMessage } from "../data/message-store.ts";
import { appendToLog, LogTaken, readControl, readLog, type StoredRun } from "../data/run-store.ts";
import type { TenantScope } from "../data/tenant-scope.ts";
import { log } from "../log.ts";
import { blocksOf } from "./blocks.ts";
import { type Frame, isTerminal, type RunEvent } from "./events.ts";
import { usageOf } from "./models/tokens.ts";

/** A run that has given no sign of life for this long has died with its function, in milliseconds. */
export const lifeSpan = 15_000;

/** What became of a run that was looked at. */
export type RunState = "running" | "ended";

/**
 * Looks whether a run is still alive, and closes it in the name of its dead function if it is not: what was logged of
 * the answer is kept.
 */
export async function closeIfDead(scope: TenantScope, run: StoredRun): Promise<RunState> {
  const { frames, writtenAt } = await readLog(scope, run.message_id);
  const last = frames.at(-1);
  if (last && isTerminal(last.event)) return "ended";
  const { alive_at } = await readControl(scope, run.message_id, { consistent: true });
  // A segment of its log is as good a sign of life as any.
  const lastSign = Math.max(alive_at ?? 0, writtenAt, Date.parse(run.created_at));
  if (now() - lastSign < lifeSpan) return "running";
  return close(scope, run, frames);
}

/** The text of an answer, as far as it was logged. */
function textOf(frames: readonly Frame[]): string {
  return frames
    .map(({ event }) => (event.type === "assistant_message" && !event.data.final ? event.data.content : ""))
    .join("");
}

async function close(scope: TenantScope, run: StoredRun, frames: readonly Frame[]): Promise<RunState> {
  const text = textOf(frames);
  const stored = await findMessage(scope, run.conversation_id, run.message_id);
  const events = stored ? endOf(run, stored, frames) : [interrupted(run, text)];
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
  log.warn("run closed for its dead function", { message_id: run.message_id, saved_characters: text.length });
  if (!stored) await addMessage(scope, partialAnswer(run, text));
  return "ended";
}

const interrupted = ({ message_id }: StoredRun, text: string): RunEvent => ({
  type: "interrupted",
  data: { message_id, reason: "shutdown", saved_characters: text.length },
});

/** The frames that are missing after an answer was stored and before its end was logged. */
function endOf(run: StoredRun, { status, content }: StoredMessage, frames: readonly Frame[]): RunEvent[] {
  const { message_id } = run;
  if (status !== "complete") return [interrupted(run, textOf(frames))];
  const shown = frames.some(({ event }) => event.type === "assistant_message" && event.data.final);
  return [
    ...(shown ? [] : [{ type: "assistant_message", data: { message_id, content, final: true } } as const]),
    { type: "done", data: { message_id, block_count: content.length } },
  ];
}

function partialAnswer(run: StoredRun, text: string): StoredMessage {
  return {
    message_id: run.message_id,
    conversation_id: run.conversation_id,
    role: "assistant",
    content: blocksOf(text),
    status: "interrupted",
    parent_id: run.parent_id,
    author_id: null,
    tier: run.tier,
    model: run.model,
    usage: text.length > 0 ? usageOf(run.model, undefined, { input: "", output: text }) : null,
    alert: null,
    created_at: run.created_at,
    edited_at: null,
    question_id: run.user_message_id,
  };
}
