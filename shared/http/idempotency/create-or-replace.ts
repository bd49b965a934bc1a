import type { Item, Write } from "../../dynamodb/table.ts";
import type { Reply } from "../reply.ts";
import type { Commit } from "./idempotency.ts";

/** What a request does, and what it is answered with. */
interface Effect<Body> {
  readonly reply: Reply<Body>;
  readonly writes: readonly Write[];
}

/** What was to be created is there already. */
class AlreadyExists extends Error {
  readonly found: Item;
  constructor(found: Item) {
    super("What was to be created is there already");
    this.found = found;
  }
}

/**
 * Creates what there can be only one of, or replaces it: of many who try at once one creates, whatever they read before.
 * @param create the creation; its write throws what `exists` gives where another was first
 * @param replace the replacement of what was found instead
 */
export async function createOrReplace<Body>(
  commit: Commit,
  create: (exists: (found: Item) => Error) => Effect<Body>,
  replace: (found: Item) => Effect<Body>,
): Promise<Reply<Body>> {
  try {
    const { reply, writes } = create((found) => new AlreadyExists(found));
    return await commit(reply, ...writes);
  } catch (error) {
    if (!(error instanceof AlreadyExists)) throw error;
    const { reply, writes } = replace(error.found);
    return commit(reply, ...writes);
  }
}
