import { ServiceError } from "./errors.ts";
import { log } from "./log.ts";

/** Which of our errors the errors of @middy/http-json-body-parser are. */
function bodyError(error: unknown): ServiceError | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : null;
  if (status === 415) return new ServiceError("unsupported_media_type");
  if (status === 422 || status === 400) return new ServiceError("malformed_body", "The body is not valid JSON.");
  return null;
}

/** The error as one of ours: what was not expected is logged and becomes a bare `internal_error`. */
export function toServiceError(error: unknown, requestId: string): ServiceError {
  const known = error instanceof ServiceError ? error : bodyError(error);
  if (known) {
    if (known.status >= 500)
      log.warn("request failed", { request_id: requestId, code: known.code, cause: known.cause });
    return known;
  }
  log.error("unexpected error", { request_id: requestId, error });
  return new ServiceError("internal_error");
}
