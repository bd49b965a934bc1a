import { AwsError, retryableErrorNames } from "../lib/aws/aws-client.ts";
import { DynamodbError } from "./table-client.ts";

/**
 * Names of temporary errors: those that the project's own client retries until it gives up, those of the AWS SDK, and
 * conflicts of whole transactions.
 */
const transientErrorNames: ReadonlySet<string> = new Set([
  ...retryableErrorNames,
  "InternalServerError",
  "ServiceUnavailable",
  "TransactionCanceledException",
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
