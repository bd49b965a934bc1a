import type { RunEvent } from "../../runs/events.ts";
import type { Turn, TurnPart } from "../turn.ts";

/**
 * Step of answering a question. Its result becomes a part of the turn; without a result, the turn stays as it is.
 * `pipeline.ts` lists the phases in order.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a phase without a result ends without a return
export interface Phase<Result extends TurnPart | void = TurnPart | void> {
  readonly name: string;
  run(turn: Turn): AsyncGenerator<RunEvent, Result | undefined>;
}

/** Runs a phase outside of `executeTurn` and adds its result to the turn. */
export async function* runPhase(phase: Phase, turn: Turn): AsyncGenerator<RunEvent, void> {
  Object.assign(turn, yield* phase.run(turn));
}
