import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { rateLimited, ServiceError } from "../lib/errors.ts";

const MINUTE_MS = 60_000;

/** Maximum number of addresses with a counter; beyond it, the counters of the current minute start again. */
const MAX_ADDRESSES = 50_000;

/**
 * Failed credentials of the current minute by client address. The counters live in the memory of one execution
 * environment, so that a flood of random keys costs neither reads nor writes of the table. Each environment therefore
 * admits up to `RATE_LIMIT_FAILED` failures of its own.
 */
const failures = new Map<string, number>();
let currentMinute = 0;

function countFailures(address: string, added: number): number {
  const minute = Math.floor(now() / MINUTE_MS);
  if (minute !== currentMinute || failures.size > MAX_ADDRESSES) failures.clear();
  currentMinute = minute;
  const count = (failures.get(address) ?? 0) + added;
  if (added > 0) failures.set(address, count);
  return count;
}

const tooManyFailures = () =>
  rateLimited((Math.floor(now() / MINUTE_MS) + 1) * 60, now(), "Too many invalid credentials from this address. ");

/**
 * Verifies a credential, and limits the failures of a client address to `RATE_LIMIT_FAILED` a minute.
 * @param blocksBefore true if an address over the limit is refused without a verification, because that reads the table
 * @throws ServiceError `rate_limited` for an address over the limit, and the errors of `verify`
 */
export async function verifyLimited<Principal>(
  address: string,
  verify: () => Promise<Principal>,
  { blocksBefore }: { readonly blocksBefore: boolean },
): Promise<Principal> {
  const limit = Number(env("RATE_LIMIT_FAILED").RATE_LIMIT_FAILED);
  if (blocksBefore && countFailures(address, 0) >= limit) throw tooManyFailures();
  try {
    return await verify();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unauthorized") throw error;
    if (countFailures(address, 1) > limit) throw tooManyFailures();
    throw error;
  }
}
