import type { EndpointOptions } from "../../http/chain.ts";
import type { ServiceError } from "../../lib/errors.ts";
import { openaiError } from "../openai-error.ts";
import { openaiErrorResponse } from "../openai-error-response.ts";

const typeByStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Renders an error in Anthropic's format. @see https://docs.anthropic.com/en/api/errors */
export function anthropicError(error: ServiceError) {
  const type = typeByStatus[error.status] ?? (error.status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error" as const, error: { type, message: openaiError(error).error.message } };
}

/** Format of the errors of the messages API. Status and headers are those of the OpenAI-compatible API. */
export const anthropicFormat: EndpointOptions = {
  renderError: (_path, error) => ({ ...openaiErrorResponse(error), body: JSON.stringify(anthropicError(error)) }),
};
