import type { ProblemCode } from "../api/problem-codes.ts";
import { RouteNotFound, ServiceError } from "../lib/errors.ts";
import { truncate } from "../lib/truncate.ts";
import type { ErrorFields } from "../models/compatible/reported-error.ts";
import { ProviderRefusal } from "../models/provider-refusal.ts";

type ErrorKind = Pick<ErrorFields, "type" | "code">;

const invalid: ErrorKind = { type: "invalid_request_error", code: null };

const kinds: Partial<Record<ProblemCode, ErrorKind>> = {
  unauthorized: { type: "invalid_request_error", code: "invalid_api_key" },
  forbidden: { type: "permission_error", code: "insufficient_permissions" },
  origin_not_allowed: { type: "permission_error", code: "origin_not_allowed" },
  completion_canceled: { type: "invalid_request_error", code: "completion_canceled" },
  context_length_exceeded: { type: "invalid_request_error", code: "context_length_exceeded" },
  quota_exceeded: { type: "insufficient_quota", code: "insufficient_quota" },
  rate_limited: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  idempotency_key_reused: { type: "invalid_request_error", code: "idempotency_key_reused" },
  idempotency_in_progress: { type: "invalid_request_error", code: "idempotency_in_progress" },
};

/** Error for a model name that is neither a persona nor the embedding model, or that the API key cannot use. */
export class ModelNotFound extends ServiceError {
  /** @param detail error message to use instead of the default */
  constructor(
    model: string,
    detail = `The model "${truncate(model, 200)}" does not exist, or this key cannot use it.`,
  ) {
    super("not_found", detail);
  }
}

/** OpenAI's codes of field errors. For other field errors, the code of the whole error applies. */
const fieldCodes: Readonly<Record<string, string>> = {
  unknown_field: "unknown_parameter",
  unsupported_parameter: "unsupported_parameter",
  previous_response_not_found: "previous_response_not_found",
};

/** Returns `type`, `param` and `code`, by which OpenAI's clients select an error class in addition to the status. */
function fieldsOf(error: ServiceError): ErrorFields {
  if (error instanceof ProviderRefusal) return error.fields;
  // Not `model_not_found`: gateways take a deployment with that error out of service.
  if (error instanceof RouteNotFound) return { type: "invalid_request_error", param: null, code: "unknown_url" };
  if (error instanceof ModelNotFound) return { type: "invalid_request_error", param: "model", code: "model_not_found" };
  const [first] = error.errors ?? [];
  const param = first?.path ?? null;
  if (error.status >= 500) return { type: "server_error", param, code: null };
  const { type, code } = kinds[error.code] ?? invalid;
  return { type, param, code: (first && fieldCodes[first.code]) ?? code };
}

function messageOf(error: ServiceError): string {
  const [first] = error.errors ?? [];
  if (!first) return error.message;
  if (first.code === "unknown_field") return `Unrecognized request argument supplied: ${first.path}`;
  return `${first.path}: ${first.message}`;
}

/**
 * Renders an error in OpenAI's format.
 * @see https://platform.openai.com/docs/guides/error-codes
 */
export function openaiError(error: ServiceError) {
  return { error: { message: messageOf(error), ...fieldsOf(error) } };
}
