import type { ProblemCode } from "../api/problem-codes.ts";
import type { ServiceError } from "../lib/errors.ts";

/** Fields that OpenAI clients use, in addition to the status, to select an error class. */
interface ErrorKind {
  readonly type: string;
  readonly code: string | null;
}

const invalid: ErrorKind = { type: "invalid_request_error", code: null };

const kinds: Partial<Record<ProblemCode, ErrorKind>> = {
  unauthorized: { type: "invalid_request_error", code: "invalid_api_key" },
  forbidden: { type: "permission_error", code: "insufficient_permissions" },
  not_found: { type: "invalid_request_error", code: "model_not_found" },
  context_length_exceeded: { type: "invalid_request_error", code: "context_length_exceeded" },
  rate_limited: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  idempotency_key_reused: { type: "invalid_request_error", code: "idempotency_key_reused" },
  idempotency_in_progress: { type: "invalid_request_error", code: "idempotency_in_progress" },
};

function kindOf(error: ServiceError): ErrorKind {
  return error.status >= 500 ? { type: "server_error", code: null } : (kinds[error.code] ?? invalid);
}

/** Renders an error in OpenAI's format. @see https://platform.openai.com/docs/guides/error-codes */
export function openaiError(error: ServiceError) {
  const [first] = error.errors ?? [];
  const { type, code } = kindOf(error);
  const message = first ? `${first.path}: ${first.message}` : error.message;
  return { error: { message, type, param: first?.path ?? null, code } };
}
