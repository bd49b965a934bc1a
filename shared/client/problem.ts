import type { Problem, ProblemCode } from "./paths.ts";

/** Code of a problem; `unknown` for error responses that a proxy sent instead of the service. */
export type ErrorCode = ProblemCode | "unknown";

/** Error response of the service. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly code: ErrorCode;
  /** Body of the response. */
  readonly problem: Partial<Problem>;
  /** Id to quote to the operator of the service; null if a proxy sent the response. */
  readonly requestId: string | null;
  /** Seconds after which a retry can succeed; null if the service does not say. */
  readonly retryAfterSeconds: number | null;

  constructor(response: Response, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? `The service responded with status ${response.status}.`);
    this.status = response.status;
    this.code = problem.code ?? "unknown";
    this.problem = problem;
    this.requestId = problem.request_id ?? response.headers.get("x-request-id");
    this.retryAfterSeconds = retryAfterSeconds(response);
  }

  /** Reads the body of an error response. */
  static async from(response: Response): Promise<ProblemError> {
    const problem = (await response.json().catch(() => null)) as Partial<Problem> | null;
    return new ProblemError(response, problem ?? {});
  }
}

/** Returns true if `error` is an error response with one of the codes, or with any code if none is given. */
export function isProblem(error: unknown, ...codes: readonly ErrorCode[]): error is ProblemError {
  return error instanceof ProblemError && (codes.length === 0 || codes.includes(error.code));
}

/** Returns the delay that the `Retry-After` header asks for, in seconds; null if there is none. */
export function retryAfterSeconds(response: Response): number | null {
  const header = response.headers.get("retry-after");
  if (header === null || header === "") return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, (date - Date.now()) / 1000);
}
