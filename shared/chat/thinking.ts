import { now } from "../lib/clock.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** Shows a step of the way to the answer. */
export function thinkingStep(turn: Turn, title: string, detail: string): RunEvent {
  turn.thinking.startedAt ??= now();
  turn.thinking.steps++;
  return { type: "thinking_step", data: { step: turn.thinking.steps, title, detail } };
}

/** Ends what was shown of the way, once; nothing where no step was shown. */
export function thinkingComplete(turn: Turn): RunEvent[] {
  const { steps, startedAt } = turn.thinking;
  if (startedAt === null) return [];
  turn.thinking.startedAt = null;
  return [{ type: "thinking_complete", data: { steps, duration_ms: now() - startedAt } }];
}
