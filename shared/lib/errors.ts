import { type ProblemCode, problemCodes } from "../api/problem-codes.ts";

/** Invalid value in a request. */
export interface FieldError {
  /** Dotted path of the value, such as `scopes.0`. */
  readonly path: string;
  readonly location: "body" | "query" | "path" | "header";
  readonly code: string;
  readonly message: string;
}

interface ServiceErrorOptions {
  readonly errors?: readonly FieldError[];
  /** Response headers of this error, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of the problem response in addition to the standard ones, such as the state of a budget. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * Error that is part of the API, such as `not_found`. Any code can throw one; it becomes the problem response of its code,
 * with the message as its detail.
 */
export class ServiceError extends Error {
  override name = "ServiceError";
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, message: string = problemCodes[code].help, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.details = options.details ?? {};
  }

  get status(): number {
    return problemCodes[this.code].status;
  }
}

/**
 * Creates the error for a resource that is missing or not visible to the caller, or whose id is malformed. The response
 * is the same in all three cases.
 */
export function notFound(): ServiceError {
  return new ServiceError("not_found", "The resource does not exist.");
}

/** Returns a value that was looked up. @throws ServiceError `not_found` if there is none */
export function requireFound<Value>(value: Value | null | undefined | ""): Value {
  if (!value) throw notFound();
  return value;
}

/** Error for a request whose method and path match no route. */
export class RouteNotFound extends ServiceError {
  /** @param hint sentence that names the path or method to use instead */
  constructor(hint?: string) {
    super("not_found", ["No route has this method and path.", hint].filter(Boolean).join(" "));
  }
}

/** Creates the error for a request whose method and path match no route. */
export function noRoute(): ServiceError {
  return new RouteNotFound();
}

/** Creates the error for a resource that existed and is permanently gone. */
export function gone(detail: string): ServiceError {
  return new ServiceError("gone", detail);
}

export function invalidFields(errors: readonly FieldError[]): ServiceError {
  const subject = errors.length === 1 ? "One value is" : `${errors.length} values are`;
  return new ServiceError("validation_failed", `${subject} invalid.`, { errors });
}

export function invalidField(
  path: string,
  code: string,
  message: string,
  location: FieldError["location"] = "body",
): ServiceError {
  return invalidFields([{ path, location, code, message }]);
}

/**
 * Creates the error for a conditional write that lost against a concurrent change.
 * @param subject the resource as the subject of the sentence, such as `The message`
 */
export function changedConcurrently(subject: string): ServiceError {
  return new ServiceError("conflict", `${subject} was changed concurrently; reload and retry.`);
}

/**
 * Creates the error for an exceeded rate limit; `problem-codes.ts` has its title and help text.
 * @param resetAt epoch seconds at which the limit resets
 * @param detail sentence to prepend to the message, with a trailing space
 */
export function rateLimited(resetAt: number, nowMs: number, detail = ""): ServiceError {
  const seconds = Math.max(1, resetAt - Math.floor(nowMs / 1_000));
  return new ServiceError("rate_limited", `${detail}Try again in ${seconds} s.`, {
    headers: { "retry-after": String(seconds) },
  });
}
