import type { ServiceError } from "../../lib/errors.ts";
import { openaiError } from "../../openai/openai-error.ts";
import type { HttpResponse } from "./problems.ts";

/** Failures that may be gone when the client tries again. */
const worthRetrying: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);

/** A body that is no object is a 400 here: OpenAI has no other word for a body it cannot use. */
const statusOf = (error: ServiceError) => (error.code === "invalid_structure" ? 400 : error.status);

/** An error as a response that OpenAI's clients understand. */
export function openaiErrorResponse(error: ServiceError): HttpResponse {
  const status = statusOf(error);
  const seconds = error.headers["retry-after"];
  return {
    statusCode: status,
    headers: {
      "content-type": "application/json",
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...error.headers,
      ...(seconds && { "retry-after-ms": String(Number(seconds) * 1_000) }),
      ...(!worthRetrying.has(status) && { "x-should-retry": "false" }),
    },
    body: JSON.stringify(openaiError(error)),
  };
}
