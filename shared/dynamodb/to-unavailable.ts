import { ServiceError } from "../lib/errors.ts";
import { isRetryableError } from "./is-retryable-error.ts";

/**
 * Converts a temporary failure of the table or of the network, such as throttling that outlasted the retries of the
 * table client, to a 503, which clients retry; they do not retry a 500. Returns any other error unchanged.
 */
export function toUnavailable(error: unknown): unknown {
  if (error instanceof ServiceError || !isRetryableError(error)) return error;
  return new ServiceError("unavailable", undefined, { headers: { "retry-after": "1" }, cause: error });
}
