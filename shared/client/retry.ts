import { retryAfterSeconds } from "./problem.ts";

/** Function like `fetch` that takes only a `Request`. */
type FetchRequest = (request: Request) => Promise<Response>;

/** Statuses of rate limits and outages, after which a request is sent again. */
const retryableStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Methods that can be sent again although the first attempt may have succeeded. */
const repeatableMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "PUT"]);

/** Longest `Retry-After` that the client waits for. A response that asks for more is not retried. */
export const MAX_RETRY_AFTER_SECONDS = 60;

/** Returns the delay before an attempt, in ms: exponential backoff with jitter, at most 15 seconds. */
export function backoffMs(attempt: number): number {
  return Math.min(15_000, 400 * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Generates an idempotency key without `crypto.randomUUID`, which does not exist on pages without TLS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");
}

export function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}

async function isInProgress(response: Response): Promise<boolean> {
  if (response.status !== 409) return false;
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: string } | null;
  return problem?.code === "idempotency_in_progress";
}

/**
 * Wraps `fetch` with retries after rate limits, outages and lost connections. Every POST gets an `Idempotency-Key`, so that
 * a retry cannot create a resource twice.
 */
export function withRetries(fetch: FetchRequest, maxRetries: number): FetchRequest {
  return async (original) => {
    const request = withIdempotencyKey(original);
    const isRepeatable = repeatableMethods.has(request.method) || request.headers.has("idempotency-key");
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= maxRetries;
      let delayMs = backoffMs(attempt);
      try {
        const response = await fetch(isLast ? request : request.clone());
        if (isLast || !(retryableStatuses.has(response.status) || (await isInProgress(response)))) return response;
        const seconds = retryAfterSeconds(response);
        if (seconds !== null && seconds > MAX_RETRY_AFTER_SECONDS) return response;
        delayMs = Math.max(delayMs, (seconds ?? 0) * 1000);
        await response.body?.cancel();
      } catch (error) {
        if (isLast || !isRepeatable || request.signal.aborted) throw error;
      }
      await sleep(delayMs, request.signal);
    }
  };
}

function withIdempotencyKey(request: Request): Request {
  if (request.method !== "POST" || request.headers.has("idempotency-key")) return request;
  const headers = new Headers(request.headers);
  headers.set("idempotency-key", newIdempotencyKey());
  return new Request(request, { headers });
}
