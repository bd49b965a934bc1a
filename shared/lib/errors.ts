import { type ProblemCode, problemCodes } from "../api/problem-codes.ts";

/** One thing that is wrong with a request. */
export interface FieldError {
  /** Dotted path of the value, such as `scopes.0`. */
  readonly path: string;
  readonly location: "body" | "query" | "path" | "header";
  readonly code: string;
  readonly message: string;
}

interface ServiceErrorOptions {
  readonly errors?: readonly FieldError[];
  /** Response headers that belong to this error, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An expected failure. Thrown anywhere, answered as the problem that its code names; `message` is shown to the caller. */
export class ServiceError extends Error {
  override name = "ServiceError";
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, message: string = problemCodes[code].help, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  /** HTTP status of this error. */
  get status(): number {
    return problemCodes[this.code].status;
  }
}

/** The one answer for what is missing, foreign or malformed: nothing in it tells which. */
export function notFound(): ServiceError {
  return new ServiceError("not_found", "There is no such resource.");
}

/** Nothing has this method and path. */
export function noRoute(): ServiceError {
  return new ServiceError("not_found", "No route has this method and path.");
}

/** What existed once and does not any more. */
export function gone(detail: string): ServiceError {
  return new ServiceError("gone", detail);
}

/** A value that is well-formed and still not acceptable. */
export function invalidField(field: FieldError): ServiceError {
  return new ServiceError("validation_failed", "One value is not acceptable.", { errors: [field] });
}

/** There is nothing left of an allowance until then. @param resetAt epoch seconds */
export function rateLimited(resetAt: number, moment: number, detail = ""): ServiceError {
  const seconds = Math.max(1, resetAt - Math.floor(moment / 1_000));
  return new ServiceError("rate_limited", `${detail}Try again in ${seconds} s.`, {
    headers: { "retry-after": String(seconds) },
  });
}
