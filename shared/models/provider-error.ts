import type { ProblemCode } from "../api/problem-codes.ts";
import { ServiceError } from "../lib/errors.ts";

/**
 * What providers' errors have in common, whatever class they are of: the AI SDK's `APICallError`, an error inside a
 * stream (an object of the provider's own making), a network error, something thrown by a parser.
 */
interface Failure {
  readonly name: string;
  readonly status: number | undefined;
  /** Words of the provider: looked into, never shown. */
  readonly words: string;
  readonly headers: Readonly<Record<string, string>>;
}

const retrySecondsAtMost = 3_600;

const tooLong =
  /context[ _]?(length|window|size)|too many (input |total )?tokens|(input|prompt|request) is too long|(reduce|shorten) (the length|your (prompt|input|messages))|maximum (number of|context|input|prompt) ?(tokens|length)?|exceeds? .{0,40}(token|context)/i;
const throttled = /throttl|rate.?limit|too many requests|quota|overloaded|insufficient_quota|capacity/i;
const refused = /content.?(filter|policy|management)|moderation|safety system/i;
const unreachable =
  /ECONN|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|UND_ERR|fetch failed|terminated|socket|cannot connect|network|unavailable|incomplete .*frame/i;

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function statusOf(error: Record<string, unknown>): number | undefined {
  return [error.statusCode, error.status, error.code].map(Number).find((value) => value >= 400 && value <= 599);
}

/** The error with what caused it, as one: a failed fetch says in its cause what it failed of. */
function failureOf(error: unknown): Failure {
  if (typeof error !== "object" || error === null) {
    return { name: "", status: undefined, words: text(error), headers: {} };
  }
  const fields = error as Record<string, unknown>;
  const own = [fields.name, fields.code, fields.type, fields.message, fields.responseBody].map(text).join(" ");
  const cause = fields.cause === undefined || fields.cause === error ? undefined : failureOf(fields.cause);
  return {
    name: text(fields.name),
    status: statusOf(fields) ?? cause?.status,
    words: `${own} ${cause?.words ?? ""}`,
    headers: (fields.responseHeaders ?? {}) as Record<string, string>,
  };
}

/** Seconds a provider asks us to wait: `retry-after-ms`, or `retry-after` in seconds or as a date. */
function retryAfter(headers: Failure["headers"]): number | null {
  const milliseconds = Number(headers["retry-after-ms"] || Number.NaN);
  const given = headers["retry-after"] ?? "";
  const seconds = Number.isNaN(milliseconds)
    ? Number(given || Number.NaN) || (Date.parse(given) - Date.now()) / 1000
    : milliseconds / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), retrySecondsAtMost) : null;
}

function codeOf({ name, status, words }: Failure): ProblemCode {
  const asked = status === undefined || [400, 413, 422].includes(status);
  if (asked && tooLong.test(words)) return "context_length_exceeded";
  if (status === 429 || status === 529 || ((status === undefined || status === 400) && throttled.test(words))) {
    return "model_overloaded";
  }
  if (name === "TimeoutError" || status === 408 || status === 504) return "timeout";
  if (status !== undefined) return status >= 500 ? "unavailable" : "model_error";
  return unreachable.test(words) ? "unavailable" : "model_error";
}

function messageOf(code: ProblemCode, { status, words }: Failure): string {
  if (code === "context_length_exceeded") return "The conversation is longer than the language model can take in.";
  if (code === "model_overloaded") return "The language model's provider takes no more requests at the moment.";
  if (code === "timeout") return "The language model did not answer in time.";
  if (code === "unavailable") return "The language model cannot be reached at the moment.";
  if (status === 401 || status === 403) return "The language model's provider does not accept this service's access.";
  if (status === 404) return "The language model is not known to its provider.";
  if (refused.test(words)) return "The language model's provider refused the content of the request.";
  return status === undefined
    ? "The language model's answer could not be read."
    : "The language model's provider refused the request.";
}

/** Errors of parsers quote what they could not read: somebody's words. */
const quoting = /JSONParse|TypeValidation/;

/** An error as it may be logged: where an answer could not be read, without its words. */
function withoutWords(error: unknown): unknown {
  if (!(error instanceof Error) || error.cause === error) return error;
  const { name, message, stack, cause } = error;
  if (quoting.test(name)) return name;
  return cause === undefined
    ? error
    : Object.assign(new Error(message, { cause: withoutWords(cause) }), { name, stack });
}

/**
 * What went wrong at a model's provider, as something a caller may be told: a code and words of ours, with the
 * provider's `Retry-After` where it gave one. The provider's own error is the cause, for the log only: its text may
 * hold keys, account ids and other people's addresses. Errors of this service come back as they are.
 */
export function providerError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const failure = failureOf(error);
  const code = codeOf(failure);
  const seconds = retryAfter(failure.headers);
  return new ServiceError(code, messageOf(code, failure), {
    cause: withoutWords(error),
    ...(seconds !== null && (code === "model_overloaded" || code === "unavailable")
      ? { headers: { "Retry-After": String(seconds) } }
      : {}),
  });
}
