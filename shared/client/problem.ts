import type { Problem, ProblemCode } from "./paths.ts";

/** Code of a problem; `unknown` if the response came from a proxy instead of the service. */
export type ErrorCode = ProblemCode | "unknown";

/** Error response of the service. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly code: ErrorCode;
  /** Body of the response; empty if it is not JSON, such as that of a proxy. */
  readonly problem: Partial<Problem>;
  /** Id that the operator of the service can find in the log; null if the response has none, such as that of a proxy. */
  readonly requestId: string | null;
  /** Delay that the response asks for before a retry; null without a `Retry-After` header. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `The service responded with status ${response.status}.`);
    this.status = response.status;
    this.code = problem.code ?? "unknown";
    this.problem = problem;
    this.requestId = problem.request_id ?? response.headers.get("x-request-id");
    this.retryAfterSeconds = retryAfterSeconds(response);
  }

  /** Creates the error for a response, whose body it consumes. */
  static async from(response: Response): Promise<ProblemError> {
    const problem = (await response.json().catch(() => null)) as Partial<Problem> | null;
    return new ProblemError(response, problem ?? {});
  }
}

/** Returns true if `error` is an error response with one of the codes, or with any code if none is given. */
export function isProblem(error: unknown, ...codes: readonly ErrorCode[]): error is ProblemError {
  return error instanceof ProblemError && (codes.length === 0 || codes.includes(error.code));
}

/** Returns the delay of the `Retry-After` header in seconds; null if it is missing or invalid. */
export function retryAfterSeconds(response: Response): number | null {
  const header = response.headers.get("retry-after");
  if (header === null || header === "") return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}
