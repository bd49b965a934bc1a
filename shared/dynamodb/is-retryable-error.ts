import { AwsError, retryableErrorNames } from "../lib/aws/aws-client.ts";
import { DynamodbError } from "./table-client.ts";

/**
 * Temporary errors that the clients do not retry by themselves: network errors of the AWS SDK, and conflicts of whole
 * transactions. The retries of the lean client itself are in `lib/aws/aws-client.ts`.
 */
const transientErrorNames: ReadonlySet<string> = new Set([
  ...retryableErrorNames,
  "InternalServerError",
  "ServiceUnavailable",
  "TransactionCanceledException",
  "TimeoutError",
  "NetworkingError",
]);

/** Returns the HTTP status of an error response, from our clients or the SDK's; 0 for any other error. */
function getStatus(error: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }): number {
  if (error instanceof DynamodbError || error instanceof AwsError) return error.status;
  return error.$metadata?.httpStatusCode ?? 0;
}

/** Reports whether a later retry may succeed: throttling, conflicts and network errors, as opposed to invalid data. */
export function isRetryableError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  const isNetworkError = /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN)/.test(code);
  return getStatus(error) >= 500 || transientErrorNames.has(error.name) || isNetworkError;
}
