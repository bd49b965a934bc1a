import type { KeyKind } from "../auth/credentials.ts";
import { keys } from "../dynamodb/keys.ts";
import { anyOf, atMost, ConditionFailed, type Key, lacksAttribute, type Table } from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import { coalesceRequests } from "../lib/request-coalescer.ts";

/**
 * Result of counting a request toward a quota. The limits are settings (`RATE_LIMIT_*` in `infra/configuration.md`).
 */
export interface RateLimitResult {
  readonly admitted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds at which the quota resets. */
  readonly resetAt: number;
}

/** Requests per minute and shard of a counter, so that no partition receives more than 100 writes per second. */
const MAX_REQUESTS_PER_SHARD = 6_000;

const getCurrentMinute = () => Math.floor(now() / 60_000);

/** API key or embed key that authenticated a request. */
interface UsedKey {
  readonly kind: KeyKind;
  readonly id: string;
}

/** Attributes of a new counter. The insertion of a `key-rate` counter tells the change feed that the key is in use. */
type CounterAttributes = { discriminator: "rate" } | { discriminator: "key-rate"; key_kind: KeyKind; key_id: string };

function getCounterAttributes(key: UsedKey | undefined): CounterAttributes {
  return key ? { discriminator: "key-rate", key_kind: key.kind, key_id: key.id } : { discriminator: "rate" };
}

/** TTL of a counter, in seconds, by its window: twice the length of the window. */
const ttlSeconds = { minute: 120, day: 2 * 86_400 } as const;

/** Increment of a counter; by default by one request in a window of a minute. */
interface CounterIncrement {
  readonly limit: number;
  readonly requests?: number;
  readonly attributes?: CounterAttributes;
  readonly window?: keyof typeof ttlSeconds;
}

/** Maximum number of exhausted counters to remember in one execution environment. */
const MAX_EXHAUSTED_COUNTERS = 10_000;

/**
 * Limits of exhausted counters, by counter. Its id contains the window. Further requests in the window are refused
 * without a write, so that a flood costs no table capacity.
 */
const exhaustedLimits = new Map<string, number>();

/**
 * Increments a counter unless that exceeds its limit.
 * @returns the new count, or null if the limit would be exceeded
 */
async function incrementCounter(
  table: Table,
  key: Key,
  { limit, requests = 1, attributes = getCounterAttributes(undefined), window = "minute" }: CounterIncrement,
): Promise<number | null> {
  const counterId = `${key.pk}\n${key.sk}`;
  if (requests > limit || limit <= (exhaustedLimits.get(counterId) ?? -1)) return null;
  try {
    const counter = await table.write({
      update: key,
      add: { requests },
      setIfAbsent: { ttl: expiresAfter(ttlSeconds[window]), ...attributes },
      condition: anyOf([lacksAttribute("requests"), atMost({ requests: limit - requests })]),
    });
    return Number(counter?.requests);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (requests === 1) {
      if (exhaustedLimits.size >= MAX_EXHAUSTED_COUNTERS) exhaustedLimits.clear();
      exhaustedLimits.set(counterId, limit);
    }
    return null;
  }
}

function toResult(limit: number, minute: number, count: number | null, shardCount: number): RateLimitResult {
  const remaining = count === null ? 0 : Math.max(0, limit - count * shardCount);
  return { admitted: count !== null, limit, remaining, resetAt: (minute + 1) * 60 };
}

/** Request to count toward a quota of the current minute. */
interface QuotaRequest {
  readonly scope: TenantScope;
  readonly owner: string;
  readonly limit: number;
  readonly key: UsedKey | undefined;
}

/**
 * Counts several requests toward one quota: all or none.
 * @returns the result for the last request
 */
async function consumeAtOnce({ scope, owner, limit, key }: QuotaRequest, requests: number): Promise<RateLimitResult> {
  const minute = getCurrentMinute();
  const shardCount = Math.max(1, Math.ceil(limit / MAX_REQUESTS_PER_SHARD));
  const firstShard = Math.floor(Math.random() * shardCount);
  let count: number | null = null;
  // One full shard does not mean that the quota is exhausted: try a second one before rejecting the request.
  for (let attempt = 0; attempt < Math.min(2, shardCount) && count === null; attempt++) {
    const shard = (firstShard + attempt) % shardCount;
    const shardLimit = Math.floor(limit / shardCount) + (shard < limit % shardCount ? 1 : 0);
    const counterKey = keys.rate(scope.tenantId, owner, shard, minute);
    const attributes = getCounterAttributes(key);
    count = await incrementCounter(tenantTable(scope), counterKey, { limit: shardLimit, requests, attributes });
  }
  return toResult(limit, minute, count, shardCount);
}

/** Part of a limit that an execution environment leases at a time, and maximum size of a lease in requests. */
const LEASED_PART = 1 / 200;
const MAX_LEASED_REQUESTS = 20;

/** Requests that were counted in advance and not used yet. */
interface Lease {
  readonly minute: number;
  requests: number;
  /** Remaining requests of the quota after the lease. */
  readonly remaining: number;
}

const MAX_LEASES = 10_000;

const leases = new Map<string, Lease>();

const toQuotaId = ({ scope, owner, limit }: QuotaRequest) => `${scope.tenantId}#${owner}#${limit}`;

/** Returns the number of requests to lease; 0 for API keys with a limit below 200 and for all other quotas. */
function getLeaseSize({ key, limit }: QuotaRequest): number {
  return key?.kind === "api-key" ? Math.min(MAX_LEASED_REQUESTS, Math.floor(limit * LEASED_PART)) : 0;
}

/** Uses one request of a lease for the current minute; null if there is none left. */
function consumeLease(request: QuotaRequest): RateLimitResult | null {
  const lease = leases.get(toQuotaId(request));
  if (!lease || lease.requests === 0 || lease.minute !== getCurrentMinute()) return null;
  lease.requests--;
  const remaining = lease.remaining + lease.requests;
  return { admitted: true, limit: request.limit, remaining, resetAt: (lease.minute + 1) * 60 };
}

/** Counts requests and a new lease in one write; null if the quota does not suffice for both or leases are not used. */
async function consumeWithLease(request: QuotaRequest, requests: number): Promise<RateLimitResult | null> {
  const leased = getLeaseSize(request);
  if (leased === 0) return null;
  const result = await consumeAtOnce(request, requests + leased);
  if (!result.admitted) return null;
  if (leases.size >= MAX_LEASES) leases.clear();
  const minute = result.resetAt / 60 - 1;
  const quotaId = toQuotaId(request);
  const previous = leases.get(quotaId);
  const unused = previous?.minute === minute ? previous.requests : 0;
  leases.set(quotaId, { minute, requests: leased + unused, remaining: result.remaining });
  return { ...result, remaining: result.remaining + leased };
}

async function consumeBatch(requests: readonly [QuotaRequest, ...QuotaRequest[]]): Promise<RateLimitResult[]> {
  const last =
    (await consumeWithLease(requests[0], requests.length)) ?? (await consumeAtOnce(requests[0], requests.length));
  if (last.admitted || requests.length === 1) {
    return requests.map((_, index) => ({ ...last, remaining: last.remaining + requests.length - 1 - index }));
  }
  // The quota cannot admit all of the requests, but it may admit some.
  const results: RateLimitResult[] = [];
  for (const request of requests) results.push(consumeLease(request) ?? (await consumeAtOnce(request, 1)));
  return results;
}

/** Counts requests. Those that arrive while the counter is being written share the next write. */
const consumeCoalesced = coalesceRequests<QuotaRequest, RateLimitResult>(
  (requests) => consumeBatch(requests as [QuotaRequest, ...QuotaRequest[]]),
  { groupBy: toQuotaId },
);

/**
 * Counts one request toward a quota of the current minute, usually with one conditional write, or with none if a lease
 * has requests left. An API key with a limit of at least 200 leases 0.5% of it at a time, at most 20 requests. The
 * limit is never exceeded, but the unused part of a lease is lost at the end of the minute.
 * @param owner owner of the quota within the tenant: `tenant`, `api-key#<id>`, …
 * @param key key whose use is recorded
 */
export function consumeQuota(
  scope: TenantScope,
  owner: string,
  limit: number,
  key?: UsedKey,
): Promise<RateLimitResult> {
  const request = { scope, owner, limit, key };
  const leased = consumeLease(request);
  return leased ? Promise.resolve(leased) : consumeCoalesced(request);
}

/** Counts one request toward a quota of the current day (UTC). */
export async function consumeDailyQuota(scope: TenantScope, owner: string, limit: number): Promise<RateLimitResult> {
  const day = Math.floor(now() / 86_400_000);
  const key = keys.rate(scope.tenantId, `${owner}#day`, 0, day);
  const count = await incrementCounter(tenantTable(scope), key, { limit, window: "day" });
  const remaining = count === null ? 0 : Math.max(0, limit - count);
  return { admitted: count !== null, limit, remaining, resetAt: (day + 1) * 86_400 };
}

/**
 * Counts one request of an anonymous client toward a quota of the current minute.
 * @param kind kind of the quota
 * @param hash hash of the client address or of a share link's token
 */
export async function consumeAnonymousQuota(kind: string, hash: string, limit: number): Promise<RateLimitResult> {
  const minute = getCurrentMinute();
  const count = await incrementCounter(systemTable(), keys.anonymousRate(kind, hash, minute), { limit });
  return toResult(limit, minute, count, 1);
}
