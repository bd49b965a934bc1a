import type { EndpointOptions } from "../../http/chain.ts";
import type { HttpResponse } from "../../http/errors/problems.ts";
import type { ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { openaiError } from "../openai-error.ts";
import { openaiErrorResponse, openaiFormat, withReplacement } from "../openai-error-response.ts";

const typeByStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

/** Status of Anthropic's own for an overloaded model. */
const OVERLOADED_STATUS = 529;

/** Reason by which Anthropic's clients recognize that a server holds no conversations: they send the whole one instead. */
const threadDetails = { error_code: "thread_unsupported_request", unsupported: ["thread"] };

/** Renders an error in Anthropic's format. @see https://docs.anthropic.com/en/api/errors */
export function anthropicError(error: ServiceError) {
  const type = typeByStatus[error.status] ?? (error.status >= 500 ? "api_error" : "invalid_request_error");
  const isThread = error.errors?.some(({ path }) => path === "thread");
  const { message } = openaiError(error).error;
  return { type: "error" as const, error: { type, message, ...(isThread && { details: threadDetails }) } };
}

/** Renders an error response with Anthropic's status for an overloaded model, and otherwise that of the OpenAI-compatible API. */
function anthropicErrorResponse(error: ServiceError, requestId: string): HttpResponse {
  const response = openaiErrorResponse(error);
  const statusCode =
    error.code === "model_overloaded" && error.status === 503 ? OVERLOADED_STATUS : response.statusCode;
  return { ...response, statusCode, body: JSON.stringify({ ...anthropicError(error), request_id: requestId }) };
}

/** Format of the errors of the messages API. */
export const anthropicFormat: EndpointOptions = {
  renderError: (_request, error, requestId) => anthropicErrorResponse(error, requestId),
};

/** Tells whether a request was made by a client of Anthropic's API, all of which send the version of the API. */
export const isAnthropicClient = (headers: RequestHeaders): boolean => headers["anthropic-version"] !== undefined;

/** Format of the errors of paths that the APIs of OpenAI and Anthropic have in common. */
export const commonFormat: EndpointOptions = {
  renderError: (request, error, requestId) => {
    const response = openaiFormat.renderError?.(request, error, requestId);
    if (!response || !isAnthropicClient(request.headers)) return response;
    return anthropicErrorResponse(withReplacement(request.path, error), requestId);
  },
};
