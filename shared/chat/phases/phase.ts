import type { RunEvent } from "../../runs/events.ts";
import type { Turn } from "../turn.ts";

/** Step of answering a question. Its result becomes a part of the turn; without a result, the turn stays as it is. */
export interface Phase<Result = unknown> {
  readonly name: string;
  run(turn: Turn): AsyncGenerator<RunEvent, Result | undefined>;
}

/** Runs a phase and adds its result to the turn. Nothing else changes what a phase has returned. */
export async function* runPhase(phase: Phase, turn: Turn): AsyncGenerator<RunEvent, void> {
  Object.assign(turn, yield* phase.run(turn));
}
