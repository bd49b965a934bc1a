import { now } from "../lib/clock.ts";
import type { RunEvent } from "../runs/events.ts";
import type { Turn } from "./turn.ts";

/** Creates the event for the next visible step of a turn. */
export function thinkingStep(turn: Turn, title: string, detail: string): RunEvent {
  turn.thinking.startedAt ??= now();
  turn.thinking.steps++;
  return { type: "thinking_step", data: { step: turn.thinking.steps, title, detail } };
}

/**
 * Creates the event that ends a series of visible steps. Returns an empty array if no step was sent since the last such
 * event.
 */
export function thinkingComplete(turn: Turn): RunEvent[] {
  const { steps, startedAt } = turn.thinking;
  if (startedAt === null) return [];
  turn.thinking.startedAt = null;
  return [{ type: "thinking_complete", data: { steps, duration_ms: now() - startedAt } }];
}
