import { AwsError, retryableErrorNames } from "../lib/aws/aws-client.ts";
import { ServiceError } from "../lib/errors.ts";
import { DynamodbError } from "./table-client.ts";

/** Names of temporary errors: throttling, conflicts of transactions, and errors of the AWS SDK. */
const transientErrorNames: ReadonlySet<string> = new Set([
  ...retryableErrorNames,
  "InternalServerError",
  "ServiceUnavailable",
  "TransactionCanceledException",
  "TransactionConflictException",
  "TransactionInProgressException",
  "TimeoutError",
  "NetworkingError",
]);

/** Returns the HTTP status of an error response, from the project's own client or the AWS SDK; 0 for any other error. */
function getStatus(error: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }): number {
  if (error instanceof DynamodbError || error instanceof AwsError) return error.status;
  return error.$metadata?.httpStatusCode ?? 0;
}

/**
 * Returns true for throttling, conflicts and network errors, after which a later attempt can succeed, and false for invalid
 * data.
 */
export function isRetryableError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  const isNetworkError = /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN)/.test(code);
  return getStatus(error) >= 500 || transientErrorNames.has(error.name) || isNetworkError;
}

/**
 * Converts a temporary failure of the table or network, such as throttling that outlasted the client's retries, to a 503:
 * clients retry a 503 but not a 500. Returns any other error unchanged.
 */
export function toUnavailable(error: unknown): unknown {
  if (error instanceof ServiceError || !isRetryableError(error)) return error;
  return new ServiceError("unavailable", undefined, { headers: { "retry-after": "1" }, cause: error });
}
