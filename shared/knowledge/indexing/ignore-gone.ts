import { ConditionFailed, TransactionFailed } from "../../dynamodb/table.ts";
import { ServiceError } from "../../lib/errors.ts";

/**
 * Error handler that ignores that a document or collection was deleted or changed concurrently: that change triggers
 * its own processing. Rethrows other errors.
 */
export function ignoreGone(error: unknown): void {
  if (!(error instanceof ServiceError || error instanceof ConditionFailed)) throw error;
}

/**
 * Error handler that ignores that a document in a transaction was already counted, or was deleted or changed
 * concurrently. Rethrows other errors.
 */
export function ignoreAlreadyCounted(error: unknown): void {
  if (!(error instanceof TransactionFailed)) ignoreGone(error);
}
