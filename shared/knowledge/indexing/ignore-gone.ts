import { ConditionFailed, TransactionFailed } from "../../dynamodb/table.ts";
import { ServiceError } from "../../lib/errors.ts";

/** Error handler for a document or collection that was deleted concurrently: its deletion triggers its own change. */
export function ignoreGone(error: unknown): void {
  if (!(error instanceof ServiceError || error instanceof ConditionFailed)) throw error;
}

/** Error handler for a transaction with a document that has already been counted, or was deleted concurrently. */
export function ignoreAlreadyCounted(error: unknown): void {
  if (!(error instanceof TransactionFailed)) ignoreGone(error);
}
