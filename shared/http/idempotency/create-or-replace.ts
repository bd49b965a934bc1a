import type { Item, Write } from "../../dynamodb/table.ts";
import type { Reply } from "../reply.ts";
import type { Commit } from "./idempotency.ts";

/** Writes of a request and the reply to return once they are committed. */
interface Outcome<Body> {
  readonly reply: Reply<Body>;
  readonly writes: readonly Write[];
}

/** Thrown when the item to create already exists. */
class AlreadyExists extends Error {
  readonly stored: Item;
  constructor(stored: Item) {
    super("item already exists");
    this.stored = stored;
  }
}

/**
 * Creates a unique item, or replaces the stored one if it exists. If several requests run concurrently, exactly one
 * creates the item.
 * @param create returns the writes that create the item; their condition must throw the error of `onExisting` if the
 * item exists
 * @param replace returns the writes that replace the stored item
 */
export async function createOrReplace<Body>(
  commit: Commit,
  create: (onExisting: (stored: Item) => Error) => Outcome<Body>,
  replace: (stored: Item) => Outcome<Body>,
): Promise<Reply<Body>> {
  try {
    const { reply, writes } = create((stored) => new AlreadyExists(stored));
    return await commit(reply, ...writes);
  } catch (error) {
    if (!(error instanceof AlreadyExists)) throw error;
    const { reply, writes } = replace(error.stored);
    return commit(reply, ...writes);
  }
}
