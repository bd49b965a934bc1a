import type { Write } from "../dynamodb/table.ts";
import { changedConcurrently } from "../lib/errors.ts";
import type { Commit } from "./idempotency/idempotency.ts";

/** Conditional write that failed because a concurrent request changed the state first. */
class ConcurrentUpdateError<State> extends Error {
  readonly currentState: State;
  constructor(currentState: State) {
    super("concurrent update");
    this.currentState = currentState;
  }
}

/**
 * Moves an entity to its next state with one conditional write. One of several concurrent requests succeeds. The others
 * return the new state if it already is the one they want, and fail with a conflict otherwise.
 * @param step returns the next state, or its argument if there is nothing to do; throws if the transition is not allowed
 * @param write creates the write of the next state, which throws `onConflict` with the stored state if that has changed
 */
export async function transition<State>(
  commit: Commit,
  current: State,
  step: (from: State) => State,
  write: (next: State, onConflict: (stored: State) => Error) => Write,
): Promise<State> {
  const next = step(current);
  if (next === current) return current;
  try {
    return await commit(
      next,
      write(next, (stored) => new ConcurrentUpdateError(stored)),
    );
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const stored = error.currentState as State;
    if (step(stored) === stored) return stored;
    throw changedConcurrently("The resource");
  }
}
