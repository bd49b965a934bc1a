import type { ProblemCode } from "../api/problem-codes.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import { countMetric } from "../lib/metrics.ts";
import { expireSecrets } from "../lib/secrets.ts";
import { type ErrorFields, unknownFields } from "./compatible/reported-error.ts";
import { providerError, toFailure } from "./provider-error.ts";
import { toSafeMessage } from "./safe-message.ts";

/** Error for a request that the provider rejected. Callers of the OpenAI-compatible API get it with the provider's status. */
export class ProviderRefusal extends ServiceError {
  readonly fields: ErrorFields;
  /** For a prompt that is too long: an estimate of its tokens, and the context window of the model. */
  overflow: { readonly tokens: number; readonly maximum: number } | undefined;
  readonly #status: number;

  constructor(
    code: ProblemCode,
    status: number,
    message: string,
    fields: ErrorFields,
    options: ConstructorParameters<typeof ServiceError>[2],
  ) {
    super(code, message, options);
    this.#status = status;
    this.fields = fields;
  }

  override get status(): number {
    return this.#status;
  }
}

/**
 * Corrects message indexes in a provider's error, because the service inserted messages in front of the caller's.
 * @param inserted number of inserted messages
 */
export function shiftMessages(error: unknown, inserted: number): unknown {
  if (!(error instanceof ProviderRefusal) || inserted === 0) return error;
  const shift = (text: string) =>
    text.replace(/\bmessages(\.|\[)(\d+)/g, (_, mark: string, position: string) => {
      return `messages${mark}${Math.max(0, Number(position) - inserted)}`;
    });
  const { code, status, message, fields, headers, cause } = error;
  const param = fields.param === null ? null : shift(fields.param);
  return new ProviderRefusal(code, status, shift(message), { ...fields, param }, { headers, cause });
}

const contentPattern = /moderat|content.?(filter|policy)|flagged|safety/i;

/** Provider statuses whose messages concern the caller's request, so that callers get them. */
const requestStatuses: ReadonlySet<number> = new Set([400, 409, 413, 422]);

/** Status for a rejected credential of this service: 424 Failed Dependency, because clients repeat a request after any 5xx. */
const FAILED_DEPENDENCY = 424;

/**
 * Returns the error for a provider that rejects this service's own credential, account or quota. Logs it, and makes the next
 * request read the API keys again.
 */
function misconfigured(status: number, cause: unknown): ServiceError {
  log.error("model provider rejected the credential", { status, cause });
  expireSecrets();
  countMetric("model_credential_rejected");
  return new ProviderRefusal(
    "model_error",
    FAILED_DEPENDENCY,
    "The language model's provider rejected the credentials of this service.",
    { type: "invalid_request_error", param: null, code: "provider_credential_rejected" },
    { cause, headers: { "x-should-retry": "false" } },
  );
}

/**
 * Converts a model's error for callers of the OpenAI-compatible API. The provider's 400, 403 (for content), 404, 409, 413,
 * 422 and 429 keep status, type, parameter and code; errors about the request and the rate also keep their message, which
 * clients evaluate. A rejected credential becomes an error of this service. Any other error is as `providerError` returns it.
 */
export function toRefusal(thrown: unknown): ServiceError {
  const error = providerError(thrown);
  const { cause, code, headers } = error;
  if (error instanceof ProviderRefusal) return error;
  const { status, text, reported } = toFailure(cause);
  const fields = reported?.fields ?? unknownFields;
  const message = toSafeMessage(reported?.message ?? "") || error.message;
  if (code === "context_length_exceeded") {
    const type = "invalid_request_error";
    return new ProviderRefusal(code, 400, message, { type, param: fields.param, code }, { cause });
  }
  if (status === undefined) return error;
  if (status === 401 || status === 402) return misconfigured(status, cause);
  if (status === 403) {
    if (!contentPattern.test(text)) return misconfigured(status, cause);
    const refused = "The language model's provider refused the content of the request.";
    return new ProviderRefusal("model_error", status, refused, fields, { cause });
  }
  if (status === 429) {
    const isQuota = text.includes("insufficient_quota");
    if (isQuota) countMetric("model_credential_rejected");
    const kind = isQuota ? "insufficient_quota" : "rate_limit_error";
    return new ProviderRefusal(
      "model_overloaded",
      status,
      isQuota ? error.message : message,
      { type: kind, param: null, code: isQuota ? kind : (fields.code ?? "rate_limit_exceeded") },
      { cause, headers: { ...headers, ...(isQuota && { "x-should-retry": "false" }) } },
    );
  }
  if (status === 404) {
    return new ProviderRefusal("model_error", status, error.message, fields, { cause });
  }
  if (!requestStatuses.has(status)) {
    const isFinal = status < 500 && code === "model_error";
    return isFinal ? new ServiceError(code, error.message, { cause, headers: { "x-should-retry": "false" } }) : error;
  }
  const isThrottled = code === "model_overloaded" && fields.type !== "invalid_request_error";
  if (isThrottled) return error;
  return new ProviderRefusal("model_error", status, message, fields, { cause });
}
