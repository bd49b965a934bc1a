import { DynamodbError, passingRefusals } from "./dynamodb-client.ts";

const passing: ReadonlySet<string> = new Set([
  ...passingRefusals,
  "RequestThrottled",
  "InternalServerError",
  "ServiceUnavailable",
  "TransactionCanceledException",
  "TimeoutError",
  "NetworkingError",
]);

/** HTTP status of the answer that an error is: one of DynamoDB's, or one to a client of AWS's SDK; 0 where there was none. */
function statusOf(error: Error & { readonly $metadata?: { readonly httpStatusCode?: number } }): number {
  return error instanceof DynamodbError ? error.status : (error.$metadata?.httpStatusCode ?? 0);
}

/** Whether trying again later may help: throttling, conflicts and trouble on the way, as against a fault in the data. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return statusOf(error) >= 500 || passing.has(error.name) || /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN)/.test(code);
}
