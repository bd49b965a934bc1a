import type { Readable } from "node:stream";
import { problemCodes } from "../../api/problem-codes.ts";
import { ServiceError } from "../../lib/errors.ts";
import { escaped, htmlPage, pagePolicy } from "../../lib/html-page.ts";
import { log } from "../../lib/log.ts";

/** A response before headers that every response has are added. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** Which of our errors the errors of @middy/http-json-body-parser are. */
function bodyError(error: unknown): ServiceError | null {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : null;
  if (status === 415) return new ServiceError("unsupported_media_type");
  if (status === 422 || status === 400) return new ServiceError("malformed_body", "The body is not valid JSON.");
  return null;
}

/** The error as one of ours: what was not expected is logged and becomes a bare `internal_error`. */
export function asServiceError(error: unknown, requestId: string): ServiceError {
  const known = error instanceof ServiceError ? error : bodyError(error);
  if (known) {
    if (known.status >= 500)
      log.warn("request failed", { request_id: requestId, code: known.code, cause: known.cause });
    return known;
  }
  log.error("unexpected error", { request_id: requestId, error });
  return new ServiceError("internal_error");
}

/** An error as a page, for who looks at it in a browser. */
export function pageResponse({ code, message, status, headers }: ServiceError, requestId: string): HttpResponse {
  const { title } = problemCodes[code];
  const body = `<header><h1>${escaped(title)}</h1></header>
<main><p>${escaped(message)}</p></main>
<footer>Request ${escaped(requestId)}</footer>`;
  return {
    statusCode: status,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": pagePolicy, ...headers },
    body: htmlPage({ title, body, noindex: true }),
  };
}

/** An error as an RFC 9457 problem. */
export function problemResponse(error: ServiceError, requestId: string): HttpResponse {
  const { status, title } = problemCodes[error.code];
  return {
    statusCode: status,
    headers: {
      "content-type": "application/problem+json",
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...error.headers,
    },
    body: JSON.stringify({
      type: `/problems/${error.code.replaceAll("_", "-")}`,
      title,
      status,
      detail: error.message,
      request_id: requestId,
      code: error.code,
      ...(error.errors && { errors: error.errors }),
    }),
  };
}
