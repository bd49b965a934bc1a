import type { Write } from "../dynamodb/table.ts";
import { changedConcurrently } from "../lib/errors.ts";
import type { Commit } from "./idempotency/idempotency.ts";

/** Thrown if a concurrent request changed the state before the conditional write. */
class ConcurrentUpdateError<State> extends Error {
  readonly currentState: State;
  constructor(currentState: State) {
    super("concurrent update");
    this.currentState = currentState;
  }
}

/**
 * Moves an entity to its next state with one conditional write, so that only one of several concurrent requests
 * succeeds. The others return the stored state if it already is their target state.
 * @param step returns the next state, or its argument if there is nothing to do; throws if the transition is not
 * allowed
 * @param write creates the conditional write of the next state; if the stored state has changed, the write must throw
 * the error of `onConflict`
 * @throws ServiceError `conflict` if a concurrent request moved the entity to another state
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
