import { ServiceError } from "../lib/errors.ts";
import { isRetryableError } from "./is-retryable-error.ts";

/**
 * Converts a temporary failure of the table or network, such as throttling that outlasted the client's retries, to a 503:
 * clients retry a 503 but not a 500. Returns any other error unchanged.
 */
export function toUnavailable(error: unknown): unknown {
  if (error instanceof ServiceError || !isRetryableError(error)) return error;
  return new ServiceError("unavailable", undefined, { headers: { "retry-after": "1" }, cause: error });
}
