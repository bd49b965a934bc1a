import { now } from "../lib/clock.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** Counts the next visible step of a turn and returns its event. The first step starts the clock of `thinkingComplete`. */
export function thinkingStep(turn: Turn, title: string, detail: string): RunEvent {
  turn.record.thinking.startedAt ??= now();
  turn.record.thinking.steps++;
  return { type: "thinking_step", data: { step: turn.record.thinking.steps, title, detail } };
}

/** Stops the clock and returns the event that ends a series of visible steps; empty if there was no step since the last one. */
export function thinkingComplete(turn: Turn): RunEvent[] {
  const { steps, startedAt } = turn.record.thinking;
  if (startedAt === null) return [];
  turn.record.thinking.startedAt = null;
  return [{ type: "thinking_complete", data: { steps, duration_ms: now() - startedAt } }];
}
