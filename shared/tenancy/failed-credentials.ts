import { hashCredential } from "../auth/credentials.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { rateLimited, ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";

const MINUTE_MS = 60_000;

/** Maximum number of counters. If it is exceeded, all counters of the minute are reset. */
const MAX_COUNTERS = 50_000;

/**
 * Multiple of the limit up to which credentials of an address are still verified. Over the limit, invalid ones get 429
 * and valid ones pass, so that a client with invalid credentials does not lock out others with the same address. A
 * verification costs one consistent read, about a tenth of the request's own cost at API Gateway and Lambda.
 */
const VERIFICATIONS_PER_FAILURE = 10;

/**
 * Number of failed credentials in the current minute by client address. The counters are in the memory of one execution
 * environment, so that a flood of random keys causes no writes and at most `RATE_LIMIT_FAILED` ×
 * `VERIFICATIONS_PER_FAILURE` reads per minute. Each environment counts on its own.
 */
const failures = new Map<string, number>();
let currentMinute = 0;

/** Maximum number of valid credentials, and of channels, that are remembered; beyond it, the oldest is removed. */
const MAX_VALID_CREDENTIALS = 10_000;

/**
 * Hashes of credentials that were valid at their last verification. They are always verified, regardless of their
 * address's failures.
 */
const validCredentials = new Set<string>();

/** Ids of channels with a valid delivery since the execution environment started. */
const validChannels = new Set<string>();

function remember(valid: Set<string>, name: string): void {
  valid.delete(name);
  valid.add(name);
  const [oldest] = valid;
  if (valid.size > MAX_VALID_CREDENTIALS && oldest) valid.delete(oldest);
}

const keyHeaders = ["x-embed-key", "authorization", "x-api-key", "api-key"] as const;

// All headers, because embed keys are public: one of them must not lift the limit for random API keys.
const hashKeyHeaders = (headers: RequestHeaders) =>
  hashCredential(JSON.stringify(keyHeaders.map((name) => headers[name])));

function countFailures(counter: string, added: number): number {
  const minute = Math.floor(now() / MINUTE_MS);
  if (minute !== currentMinute || failures.size > MAX_COUNTERS) failures.clear();
  currentMinute = minute;
  const count = (failures.get(counter) ?? 0) + added;
  if (added > 0) failures.set(counter, count);
  return count;
}

const tooManyFailures = () =>
  rateLimited((Math.floor(now() / MINUTE_MS) + 1) * 60, now(), "Too many invalid credentials from this address. ");

/**
 * Verifies a credential, and limits the failures of a client address to `RATE_LIMIT_FAILED` per minute.
 * @param readsTable true if the verification reads the table. An address with `VERIFICATIONS_PER_FAILURE` times as many
 * failures is then rejected without verification.
 * @param headers headers with a key; a key that was valid before is always verified
 * @param channelId channel whose delivery is verified; if it had a valid delivery, its failures are counted separately
 * @throws ServiceError `rate_limited` for an invalid credential from an address over the limit, and the errors of
 * `verify`
 */
export async function verifyLimited<Principal>(
  address: string,
  verify: () => Promise<Principal>,
  {
    readsTable,
    headers,
    channelId = "",
  }: { readonly readsTable: boolean; readonly headers?: RequestHeaders; readonly channelId?: string },
): Promise<Principal> {
  const limit = Number(env("RATE_LIMIT_FAILED").RATE_LIMIT_FAILED);
  const hash = readsTable && headers ? hashKeyHeaders(headers) : "";
  const counter = validChannels.has(channelId) ? `${address} ${channelId}` : address;
  const maxVerifications = limit * VERIFICATIONS_PER_FAILURE;
  if (readsTable && !validCredentials.has(hash) && countFailures(counter, 0) >= maxVerifications)
    throw tooManyFailures();
  try {
    const principal = await verify();
    if (hash) remember(validCredentials, hash);
    if (channelId) remember(validChannels, channelId);
    return principal;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unauthorized") throw error;
    validCredentials.delete(hash);
    if (countFailures(counter, 1) > limit) throw tooManyFailures();
    throw error;
  }
}
