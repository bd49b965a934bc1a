import type { Readable } from "node:stream";
import { problemCodes } from "../../api/problem-codes.ts";
import type { ServiceError } from "../../lib/errors.ts";
import { escaped, htmlPage, pagePolicy } from "../../lib/html-page.ts";

/** A response before headers that every response has are added. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable;
}

/** An error as a page, for who looks at it in a browser. */
export function errorPageResponse({ code, message, status, headers }: ServiceError, requestId: string): HttpResponse {
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
