import type { Readable } from "node:stream";
import { problemPath } from "../../api/platform/docs.ts";
import { problemCodes } from "../../api/problem-codes.ts";
import type { ServiceError } from "../../lib/errors.ts";
import { escapeHtml, htmlPage, pageSecurityPolicy } from "../../lib/html-page.ts";

/** HTTP response before the common headers are added. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** Renders an error as an HTML page for browsers. */
export function errorPageResponse({ code, message, status, headers }: ServiceError, requestId: string): HttpResponse {
  const { title } = problemCodes[code];
  const body = `<header><h1>${escapeHtml(title)}</h1></header>
<main><p>${escapeHtml(message)}</p></main>
<footer>Request ${escapeHtml(requestId)}</footer>`;
  return {
    statusCode: status,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": pageSecurityPolicy, ...headers },
    body: htmlPage({ title, body, noindex: true }),
  };
}

/** Renders an error as an RFC 9457 problem. */
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
      type: problemPath(error.code),
      title,
      status,
      detail: error.message,
      request_id: requestId,
      code: error.code,
      ...(error.errors && { errors: error.errors }),
      ...error.details,
    }),
  };
}
