import type { ProblemCode } from "../api/problem-codes.ts";
import { ServiceError } from "../lib/errors.ts";
import { recordMetrics } from "../lib/metrics.ts";
import { parseRetryAfter } from "../lib/outgoing/retry-after.ts";
import {
  isContextOverflow,
  isOverflowMessage,
  parseReportedError,
  type ReportedError,
  toReportedError,
} from "./compatible/reported-error.ts";

/**
 * Properties of a failed provider call, from any kind of error: the AI SDK's `APICallError`, error objects in a stream,
 * network errors and parser errors.
 */
interface Failure {
  readonly name: string;
  /** HTTP status of the response; for an error in a stream, the status that its code names; undefined if there is none. */
  readonly status: number | undefined;
  /** Error that the provider sent; null if its format is not known. */
  readonly reported: ReportedError | null;
  /** Texts of the error and its causes, which are only used to classify it and are never shown. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_RETRY_AFTER_SECONDS = 3_600;

const throttledPattern = /throttl|rate.?limit|too many requests|quota|overloaded|insufficient_quota|capacity/i;
const contentRefusedPattern = /content.?(filter|policy|management)|moderation|safety system/i;
const unreachablePattern =
  /ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|UND_ERR|fetch failed|terminated|socket|cannot connect|network|unavailable|incomplete .*frame/i;

function toText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function findStatus({ name, statusCode, status, code }: Record<string, unknown>): number | undefined {
  // The AI SDK's errors about the body of a response carry its status 200.
  if (typeof statusCode === "number" && (statusCode >= 300 || name === "HttpFailure")) return statusCode;
  return [status, code].map(Number).find((value) => value >= 400 && value <= 599);
}

function findReportedError(error: Record<string, unknown>): ReportedError | null {
  if (typeof error.responseBody === "string") return parseReportedError(error.responseBody);
  return error instanceof Error ? null : toReportedError(error);
}

/** Collects the properties of an error and its causes, because only the cause of a failed `fetch` names the reason. */
export function toFailure(error: unknown): Failure {
  if (typeof error !== "object" || error === null) {
    return { name: "", status: undefined, reported: null, text: toText(error), headers: {} };
  }
  const fields = error as Record<string, unknown>;
  const ownText = [fields.name, fields.code, fields.type, fields.message, fields.responseBody].map(toText).join(" ");
  const cause = fields.cause === undefined || fields.cause === error ? undefined : toFailure(fields.cause);
  return {
    name: toText(fields.name),
    status: findStatus(fields) ?? cause?.status,
    reported: findReportedError(fields) ?? cause?.reported ?? null,
    text: `${ownText} ${cause?.text ?? ""}`,
    headers: (fields.responseHeaders ?? {}) as Record<string, string>,
  };
}

/** Returns the delay that the provider asks for in seconds, at most an hour; null if it asks for none. */
function parseRetryAfterSeconds(headers: Failure["headers"]): number | null {
  const milliseconds = Number(headers["retry-after-ms"] || Number.NaN);
  const seconds = Number.isNaN(milliseconds) ? parseRetryAfter(headers["retry-after"]) : milliseconds / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS) : null;
}

const isOverflow = ({ status, text, reported }: Failure): boolean => {
  const isAboutRequest = status === undefined || [400, 413, 422].includes(status);
  return reported ? isContextOverflow(reported, isAboutRequest) : isAboutRequest && isOverflowMessage(text);
};

/** Error types in a stream that stand for a failure of the provider, because a stream can no longer send an HTTP status. */
const serverFailurePattern = /^(?:server|api|internal|internal_server)_error$/;

function classify(failure: Failure): ProblemCode {
  const { name, status, text, reported } = failure;
  if (isOverflow(failure)) return "context_length_exceeded";
  if (status === 429 || status === 529 || ((status === undefined || status === 400) && throttledPattern.test(text))) {
    return "model_overloaded";
  }
  if (name === "TimeoutError" || status === 408 || status === 504) return "timeout";
  if (status !== undefined) return status >= 500 ? "unavailable" : "model_error";
  if (reported && serverFailurePattern.test(reported.fields.type)) return "unavailable";
  return unreachablePattern.test(text) ? "unavailable" : "model_error";
}

function getMessage(code: ProblemCode, { status, text, reported }: Failure): string {
  if (code === "context_length_exceeded") return "The conversation exceeds the context length of the language model.";
  if (code === "model_overloaded")
    return "The language model's provider is overloaded or has limited the rate of requests.";
  if (code === "timeout") return "The language model did not answer in time.";
  if (status === undefined) {
    if (reported) return "The language model's provider reported an error.";
    if (code === "unavailable") return "The language model cannot be reached at the moment.";
    return "The language model's answer could not be parsed.";
  }
  if (status < 300) return `The language model's provider sent no answer (status ${status}).`;
  if (status < 400)
    return `The language model's provider answered with a redirect (status ${status}), which is not followed.`;
  if (code === "unavailable") return `The language model's provider failed (status ${status}).`;
  if (status === 401 || status === 402 || status === 403)
    return "The language model's provider rejected the credentials of this service.";
  if (status === 404) return "The language model's provider does not know this model.";
  return contentRefusedPattern.test(text)
    ? "The language model's provider refused the content of the request."
    : "The language model's provider rejected the request.";
}

/** Names of parser errors, whose messages quote the conversation. */
const quotingErrorNames = /JSONParse|TypeValidation/;

/** Returns an error that can be logged: only the name of a parser error, because its message quotes the conversation. */
function toLoggable(error: unknown): unknown {
  if (!(error instanceof Error) || error.cause === error) return error;
  const { name, message, stack, cause } = error;
  if (quotingErrorNames.test(name)) return name;
  return cause === undefined ? error : Object.assign(new Error(message, { cause: toLoggable(cause) }), { name, stack });
}

/** Returns true if the provider rejects this service's credential or account, rather than the caller's request. */
function isAccountRejected({ status, text }: Failure): boolean {
  if (status === 429) return text.includes("insufficient_quota");
  return status === 401 || status === 402 || (status === 403 && !contentRefusedPattern.test(text));
}

/**
 * Converts a provider's error to a `ServiceError` with a message of this service and the provider's `Retry-After`. The
 * original error becomes the cause, which is only logged, because its text can contain keys, account ids and personal data.
 * Returns a `ServiceError` or one that is the cause unchanged.
 */
export function providerError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  // The AI SDK wraps errors of the stream that it reads.
  if (error instanceof Error && error.cause instanceof ServiceError) return error.cause;
  const failure = toFailure(error);
  const code = classify(failure);
  recordMetrics({
    metrics: { provider_errors: 1, ...(isAccountRejected(failure) && { model_credential_rejected: 1 }) },
    fields: { level: "info", message: "provider call failed", code },
  });
  const retryAfterSeconds = parseRetryAfterSeconds(failure.headers);
  return new ServiceError(code, getMessage(code, failure), {
    cause: toLoggable(error),
    ...(retryAfterSeconds !== null && (code === "model_overloaded" || code === "unavailable")
      ? { headers: { "retry-after": String(retryAfterSeconds) } }
      : {}),
  });
}

/** Returns true if the same request can succeed later: the provider is overloaded, failed or could not be reached. */
export function isRetryable(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.code === "model_overloaded" || error.code === "unavailable") &&
    error.headers["x-should-retry"] !== "false"
  );
}
