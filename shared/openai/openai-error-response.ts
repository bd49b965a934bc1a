import { isOpenaiRoute } from "../api/define-route.ts";
import type { EndpointOptions } from "../http/chain.ts";
import type { HttpResponse } from "../http/errors/problems.ts";
import { RouteNotFound, type ServiceError } from "../lib/errors.ts";
import { openaiError } from "./openai-error.ts";
import { findReplacement } from "./unoffered-paths.ts";

const retryableStatuses: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);

/** Returns true if OpenAI's clients may retry a status. Responses with another status carry `x-should-retry: false`. */
export const isRetryableStatus = (status: number): boolean => retryableStatuses.has(status);

/**
 * Returns the HTTP status of an error. `invalid_structure` becomes 400, because OpenAI's API has no 422 for a body that
 * is not an object.
 */
const statusOf = (error: ServiceError) => (error.code === "invalid_structure" ? 400 : error.status);

/** Renders an error in OpenAI's format, with the retry headers that its clients evaluate. */
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
      ...((!isRetryableStatus(status) || error.code === "quota_exceeded") && { "x-should-retry": "false" }),
    },
    body: JSON.stringify(openaiError(error)),
  };
}

/**
 * Adds a hint about a replacement to the error for a path of OpenAI's API that this service does not offer. Other
 * errors stay unchanged.
 */
export const withReplacement = (path: string, error: ServiceError): ServiceError =>
  error instanceof RouteNotFound ? new RouteNotFound(findReplacement(path)) : error;

/** Endpoint options that render errors on OpenAI-compatible paths in OpenAI's format. */
export const openaiFormat: EndpointOptions = {
  renderError: ({ path }, error) => {
    if (!isOpenaiRoute({ path })) return undefined;
    return openaiErrorResponse(withReplacement(path, error));
  },
};
