const passing: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
  "InternalServerError",
  "ServiceUnavailable",
  "TransactionConflictException",
  "TransactionCanceledException",
  "TransactionInProgressException",
  "TimeoutError",
  "NetworkingError",
]);

/** Whether trying again later may help: throttling, conflicts and trouble on the way, as against a fault in the data. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return passing.has(error.name) || /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN)/.test(code);
}
