import type { Write } from "../dynamodb/table.ts";
import { ServiceError } from "../lib/errors.ts";
import type { Commit } from "./idempotency/idempotency.ts";

/** Somebody else was faster. */
class ConcurrentUpdateError<State> extends Error {
  readonly found: State;
  constructor(found: State) {
    super("Somebody else was faster");
    this.found = found;
  }
}

/**
 * Takes something to its next state with one conditional write: of many who try at once one does, and the others learn
 * whether that leaves them anything to do.
 * @param step gives the next state, the very same one where there is nothing to do, and throws where it cannot be
 * @param write the write to a state, which throws what it is given where the state it starts from is another one
 */
export async function transition<State>(
  commit: Commit,
  current: State,
  step: (from: State) => State,
  write: (next: State, overtaken: (found: State) => Error) => Write,
): Promise<State> {
  const next = step(current);
  if (next === current) return current;
  try {
    return await commit(
      next,
      write(next, (found) => new ConcurrentUpdateError(found)),
    );
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const found = error.found as State;
    if (step(found) === found) return found;
    throw new ServiceError("conflict", "This was changed at the same moment. Read it again.");
  }
}
