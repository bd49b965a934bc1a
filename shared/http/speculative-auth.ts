import { isDeepStrictEqual } from "node:util";
import { hashCredential } from "../auth/credentials.ts";
import type { Allowance } from "../tenancy/rate-store.ts";
import type { Principal, RequestContext } from "./request-context.ts";
import { authenticate, consumeRateLimit, type Step } from "./steps.ts";

/** Begins to read what a handler will want of its caller. */
export type Prefetch = (principal: Principal, rawBody: Buffer) => void;

/** Whom credentials stood for when they last came here, by their hash, the latest at the end; only ever a guess. */
const callers = new Map<string, Principal>();
const callersAtMost = 1_000;

function remember(hash: string, principal: Principal): void {
  callers.delete(hash);
  callers.set(hash, principal);
  const [oldest] = callers.keys();
  if (callers.size > callersAtMost && oldest) callers.delete(oldest);
}

/** What a request needs once its caller is known, under way. */
interface Begun {
  readonly caller: Principal;
  readonly drawn: Promise<Allowance | null>;
}

function begin(exchange: RequestContext, caller: Principal, lookAhead: Prefetch): Begun {
  const drawn = consumeRateLimit({ ...exchange, principal: caller });
  // Whoever waits for it hears of its failure; here nobody does.
  drawn.catch(() => {});
  lookAhead(caller, exchange.http.rawBody);
  return { caller, drawn };
}

/**
 * The caller, verified here. Where the same credential came before, its limit is drawn on and `lookAhead` begun for whom
 * it stood for then, while it is read whom it stands for now: for most requests one wait for the table less. What was
 * begun for anybody else counts for nothing. For contracts whose limit goes by the credential alone.
 */
export function authenticateSpeculatively(lookAhead: Prefetch): Step {
  return async (exchange) => {
    const { authorization } = exchange.http.headers;
    const hash = authorization && hashCredential(authorization);
    const expected = hash ? callers.get(hash) : undefined;
    // What is begun is found by the caller: an object of this request's own.
    const early = expected && begin(exchange, { ...expected }, lookAhead);
    await authenticate(exchange);
    const begun =
      early && isDeepStrictEqual(exchange.principal, expected) ? early : begin(exchange, exchange.principal, lookAhead);
    exchange.principal = begun.caller;
    exchange.pendingRateLimit = begun.drawn;
    if (hash) remember(hash, begun.caller);
  };
}
