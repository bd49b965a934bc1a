import { isDeepStrictEqual } from "node:util";
import { hashCredential } from "../auth/credentials.ts";
import type { Allowance } from "../tenancy/rate-store.ts";
import type { Principal, RequestContext } from "./request-context.ts";
import { authenticate, consumeRateLimit, type Step } from "./steps.ts";

/** Starts to read data that the handler will need for its caller. */
export type Prefetch = (principal: Principal, rawBody: Buffer) => void;

/** Last known caller by credential hash, least recently used first. An entry may be stale, so it is only a guess. */
const lastCallers = new Map<string, Principal>();
const maxLastCallers = 1_000;

function rememberCaller(hash: string, principal: Principal): void {
  lastCallers.delete(hash);
  lastCallers.set(hash, principal);
  const [oldest] = lastCallers.keys();
  if (lastCallers.size > maxLastCallers && oldest) lastCallers.delete(oldest);
}

/** Rate limit check and prefetch in flight for an expected caller. */
interface Prefetched {
  readonly caller: Principal;
  readonly pendingRateLimit: Promise<Allowance | null>;
}

function startPrefetch(context: RequestContext, caller: Principal, prefetch: Prefetch): Prefetched {
  const pendingRateLimit = consumeRateLimit({ ...context, principal: caller });
  // The rate limit step awaits this promise and reports its failure; a discarded guess must not fail the process.
  pendingRateLimit.catch(() => {});
  prefetch(caller, context.http.rawBody);
  return { caller, pendingRateLimit };
}

/**
 * Creates a step that authenticates the caller. If the credential was seen before, it checks the rate limit and prefetches
 * for the last known caller while it verifies the credential, which saves most requests one round trip to the table. The
 * results are discarded if the credential turns out to belong to another caller. Only for contracts whose rate limit
 * depends on the credential alone.
 */
export function authenticateSpeculatively(prefetch: Prefetch): Step {
  return async (context) => {
    const { authorization } = context.http.headers;
    const hash = authorization && hashCredential(authorization);
    const expected = hash ? lastCallers.get(hash) : undefined;
    // Handlers look prefetched data up by the identity of the principal object, so each request needs its own copy.
    const guess = expected && startPrefetch(context, { ...expected }, prefetch);
    await authenticate(context);
    const prefetched =
      guess && isDeepStrictEqual(context.principal, expected)
        ? guess
        : startPrefetch(context, context.principal, prefetch);
    context.principal = prefetched.caller;
    context.pendingRateLimit = prefetched.pendingRateLimit;
    if (hash) rememberCaller(hash, prefetched.caller);
  };
}
