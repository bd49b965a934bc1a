import * as v from "valibot";
import type { AuditEvent } from "../../api/governance/audit.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { itemReader, trusted } from "../../dynamodb/item-reader.ts";
import { indexKeys, keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { type ListQuery, listPage, mapPage, type Page, type PageRequest, toCursor } from "../../dynamodb/pagination.ts";
import { absent, absentOrExpired, type Item, unchanged, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";
import { retryDelay } from "../../lib/retry.ts";
import { today } from "../usage/usage-period.ts";
import { anchorWrites, type DatedHead } from "./anchor-day.ts";
import { chainEvents, emptyChainHead, type UnchainedEvent } from "./audit-chain.ts";

/** Stored event. Nested values are not validated, because one page can read thousands of events. */
const StoredAuditEvent = v.object({
  id: v.string(),
  seq: v.number(),
  occurred_at: v.string(),
  actor: trusted<AuditEvent["actor"]>(),
  action: v.string(),
  target: trusted<AuditEvent["target"]>(),
  details: trusted<AuditEvent["details"]>(),
  previous_hash: v.string(),
  hash: v.string(),
});

const readEvent: (item: Item) => AuditEvent = itemReader(StoredAuditEvent);

const readChainHead = itemReader(v.object({ seq: v.number(), hash: v.string(), day: v.string() }));

/** Retention of the markers of recorded changes. It must exceed the day for which a stream redelivers a change. */
const MARKER_TTL_SECONDS = 3 * 24 * 3_600;

/**
 * Maximum number of events per transaction of 100 writes: each event takes two writes, the head of the chain one, and an anchor one.
 */
const MAX_EVENTS_PER_TRANSACTION = 49;

export async function getChainHead(scope: TenantScope): Promise<DatedHead> {
  const item = await tenantTable(scope).get(keys.auditHead(scope.tenantId), { consistent: true });
  return item ? readChainHead(item) : { ...emptyChainHead, day: null };
}

/** Thrown if a concurrent writer has appended to the chain. */
class ConcurrentUpdateError extends Error {}

/** Thrown if one of the changes is recorded already. */
class AlreadyRecorded extends Error {}

/** Returns the write that moves the head of a chain. Its condition on the previous head prevents a fork. */
const headWrite = ({ tenantId }: TenantScope, previous: DatedHead, { seq, hash }: AuditEvent): Write => ({
  put: { ...keys.auditHead(tenantId), discriminator: "audit-head", seq, hash, day: today() },
  condition: unchanged(previous.seq === 0 ? null : previous, "hash", () => new ConcurrentUpdateError()),
});

/** Returns the writes of an event, which never expires, and of a marker by which a redelivered change is recognized. */
function eventWrites({ tenantId }: TenantScope, event: AuditEvent): Write[] {
  const { id, seq, target } = event;
  return [
    {
      put: {
        ...keys.auditMark(tenantId, id),
        discriminator: "audit-mark",
        ttl: expiresAfter(MARKER_TTL_SECONDS),
      },
      // An expired marker counts as absent: reads do not return it, so the append would otherwise be retried forever.
      condition: absentOrExpired(() => new AlreadyRecorded()),
    },
    {
      put: {
        ...keys.auditEvent(tenantId, seq),
        ...indexKeys.auditByTarget(tenantId, target.id, seq),
        discriminator: "audit-event",
        ...event,
      },
      condition: absent(() => new ConcurrentUpdateError()),
    },
  ];
}

/** Appends events to a tenant's chain. Idempotent by event id, because changes are delivered at least once. */
export async function appendEvents(scope: TenantScope, events: readonly UnchainedEvent[]): Promise<void> {
  let pending = [...new Map(events.map((event) => [event.id, event])).values()];
  for (let attempt = 0; pending.length > 0; ) {
    const head = await getChainHead(scope);
    const batch = chainEvents(pending.slice(0, MAX_EVENTS_PER_TRANSACTION), head);
    const newHead = batch.at(-1) as AuditEvent;
    try {
      await tenantTable(scope).transact([
        headWrite(scope, head, newHead),
        ...(await anchorWrites(scope, head)),
        ...batch.flatMap((event) => eventWrites(scope, event)),
      ]);
      pending = pending.slice(MAX_EVENTS_PER_TRANSACTION);
      attempt = 0;
    } catch (error) {
      if (error instanceof AlreadyRecorded) pending = await withoutRecorded(scope, pending);
      else if (error instanceof ConcurrentUpdateError) await retryDelay(Math.min(++attempt, 3));
      else throw error;
    }
  }
}

/** Returns the events that have no marker, because their changes are not recorded yet. */
async function withoutRecorded(scope: TenantScope, events: readonly UnchainedEvent[]): Promise<UnchainedEvent[]> {
  const toMarkerKey = ({ id }: UnchainedEvent) => keys.auditMark(scope.tenantId, id);
  const markers = await batchGetAll(tenantTable(scope), events.map(toMarkerKey), { consistent: true });
  const recordedKeys = new Set(markers.map(({ sk }) => sk));
  return events.filter((event) => !recordedKeys.has(toMarkerKey(event).sk));
}

interface AuditFilters {
  /** Id of a user or key, or `system`. */
  readonly actor?: string | undefined;
  /** Action such as `grant.created`, or its resource type such as `grant`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function matches({ actor, action, occurred_at }: AuditEvent, filters: AuditFilters): boolean {
  const { since, until } = filters;
  return (
    (filters.actor === undefined || [actor.id ?? actor.type, actor.via?.id].includes(filters.actor)) &&
    (filters.action === undefined || action === filters.action || action.startsWith(`${filters.action}.`)) &&
    (since === undefined || occurred_at >= since) &&
    (until === undefined || occurred_at <= until)
  );
}

/** Maximum number of events that one page reads, to stay within the timeout of the function. */
const MAX_SCANNED_EVENTS = 20_000;

/** Maximum time by which events can be out of order. A stream delivers a change within a day. */
const MAX_REORDERING_MS = 25 * 3_600_000;

const getOccurredAtMs = (item: Item) => Date.parse(readEvent(item).occurred_at);

/** Returns a sequence number from which on all events occurred after `time`, found by binary search. */
async function findSequenceAfter(scope: TenantScope, time: string): Promise<number> {
  const latestMs = Date.parse(time) + MAX_REORDERING_MS;
  let [low, high] = [0, (await getChainHead(scope)).seq + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const item = await tenantTable(scope).get(keys.auditEvent(scope.tenantId, middle));
    if (item && getOccurredAtMs(item) > latestMs) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Lists events, newest first. Filters by time and target reduce the number of events to read; other filters do not.
 * @throws ServiceError `invalid_cursor`
 */
export async function listEvents(
  scope: TenantScope,
  filters: AuditFilters,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditEvent>> {
  const { target, since, until } = filters;
  const location =
    target === undefined
      ? { pk: keys.auditEvent(scope.tenantId, 0).pk, prefix: keyPrefixes.auditEvent }
      : { index: "gsi1" as const, pk: indexKeys.auditByTarget(scope.tenantId, target, 0).gsi1pk };
  const earliestMs = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since) - MAX_REORDERING_MS;
  const list: ListQuery = {
    list: "audit-events",
    filters: { ...filters },
    ...location,
    descending: true,
    where: (item) => matches(readEvent(item), filters),
    maxScannedItems: MAX_SCANNED_EVENTS,
    isPastEnd: (item) => getOccurredAtMs(item) < earliestMs,
  };
  const canSkip = target === undefined && until !== undefined && cursor === undefined;
  const start = canSkip
    ? toCursor(scope, list, keys.auditEvent(scope.tenantId, await findSequenceAfter(scope, until)).sk)
    : cursor;
  return mapPage(await listPage(scope, list, { limit, ...(start && { cursor: start }) }), readEvent);
}

/** Returns the events after a sequence number, in the order of the chain. */
export async function listEventsAfter(scope: TenantScope, seq: number, limit: number): Promise<AuditEvent[]> {
  const { pk, sk } = keys.auditEvent(scope.tenantId, seq);
  const after = seq === 0 ? undefined : sk;
  const items = await tenantTable(scope).query({ pk, prefix: keyPrefixes.auditEvent, after, limit, consistent: true });
  return items.map(readEvent);
}
