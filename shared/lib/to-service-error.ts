import { ServiceError } from "./errors.ts";
import { log } from "./log.ts";
import { countInFunction } from "./metrics.ts";

/** Maps the errors of @middy/http-json-body-parser; returns null for any other error. */
function fromBodyParserError(error: unknown): ServiceError | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : null;
  if (status === 415) return new ServiceError("unsupported_media_type");
  if (status === 422 || status === 400)
    return new ServiceError("malformed_body", "The request body is not valid JSON.");
  return null;
}

/** Converts any error to a `ServiceError`. Unexpected errors are logged and become `internal_error` without details. */
export function toServiceError(error: unknown, requestId: string): ServiceError {
  const expected = error instanceof ServiceError ? error : fromBodyParserError(error);
  if (expected) {
    if (expected.status >= 500) {
      log.warn("request failed", { request_id: requestId, code: expected.code, cause: expected.cause });
    }
    return expected;
  }
  log.error("unexpected error", { request_id: requestId, error });
  countInFunction("code_faults");
  return new ServiceError("internal_error");
}
