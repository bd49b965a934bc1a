import { problemPath } from "../../api/platform/docs.ts";
import type { DenialNames } from "../../http/authorizer.ts";
import type { EndpointOptions } from "../../http/chain.ts";
import type { HttpResponse } from "../../http/errors/problems.ts";
import { ServiceError } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { openaiError } from "../openai-error.ts";
import { openaiErrorResponse, openaiFormat, withReplacement } from "../openai-error-response.ts";
import { promptTooLong } from "./prompt-too-long.ts";

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

/** HTTP status with which Anthropic's API reports an overloaded model. */
const OVERLOADED_STATUS = 529;

/**
 * Error details for a request with the field `thread`. From them, Anthropic's clients recognize that the server stores
 * no conversations, and send the whole conversation instead.
 */
const threadDetails = { error_code: "thread_unsupported_request", unsupported: ["thread"] };

/**
 * Renders an error in Anthropic's format.
 * @see https://docs.anthropic.com/en/api/errors
 */
export function anthropicError(error: ServiceError) {
  const type = typeByStatus[error.status] ?? (error.status >= 500 ? "api_error" : "invalid_request_error");
  const isThread = error.errors?.some(({ path }) => path === "thread");
  const message = error.code === "context_length_exceeded" ? promptTooLong(error) : openaiError(error).error.message;
  return { type: "error" as const, error: { type, message, ...(isThread && { details: threadDetails }) } };
}

/**
 * Renders an error response in Anthropic's format. An overloaded model has Anthropic's status 529; all other errors
 * have the status of the OpenAI-compatible API.
 */
function anthropicErrorResponse(error: ServiceError, requestId: string): HttpResponse {
  const response = openaiErrorResponse(error);
  const statusCode =
    error.code === "model_overloaded" && error.status === 503 ? OVERLOADED_STATUS : response.statusCode;
  return { ...response, statusCode, body: JSON.stringify({ ...anthropicError(error), request_id: requestId }) };
}

/** Endpoint options that render the errors of the messages API in Anthropic's format. */
export const anthropicFormat: EndpointOptions = {
  renderError: (_request, error, requestId) => anthropicErrorResponse(error, requestId),
};

/** Returns true if the client speaks Anthropic's API. All such clients send the header `anthropic-version`. */
export const isAnthropicClient = (headers: RequestHeaders): boolean => headers["anthropic-version"] !== undefined;

/** Paths of Anthropic's API alone. The contracts name them too, but would double the code of the authorizer. */
const anthropicPath = /^\/openai\/v1\/messages(?:\/|$)/;

/** Returns the names of a denied request in the format of the client's API. */
export function nameDenial(path: string, headers: RequestHeaders): DenialNames {
  const error = new ServiceError("unauthorized");
  if (!isAnthropicClient(headers) && !anthropicPath.test(path)) {
    return { type: problemPath(error.code), error_type: openaiError(error).error.type };
  }
  const { type, error: body } = anthropicError(error);
  return { type, error_type: body.type };
}

/**
 * Endpoint options for paths that OpenAI's and Anthropic's APIs share, such as the list of models. Errors have the
 * format of the client's API.
 */
export const commonFormat: EndpointOptions = {
  renderError: (request, error, requestId) => {
    const response = openaiFormat.renderError?.(request, error, requestId);
    if (!response || !isAnthropicClient(request.headers)) return response;
    return anthropicErrorResponse(withReplacement(request.path, error), requestId);
  },
};
