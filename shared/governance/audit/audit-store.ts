import type { AuditEvent } from "../../api/governance/audit.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { toCursor, listPage, type Page, type PageRequest } from "../../dynamodb/pagination.ts";
import { type Item, absentOrExpired, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter } from "../../lib/clock.ts";
import { retryDelay } from "../../lib/retry-delay.ts";
import { type ChainHead, chained, noEvents, type UnchainedEvent } from "./audit-chain.ts";

const eventOf = (item: Item) => item as unknown as AuditEvent;

const prefix = "event#";

/** How long it is known that a change was noted, in seconds: a stream tells of changes for a day. */
const marked = 3 * 24 * 3_600;

/** Events in one transaction: each is two items, and the chain's end is one more. */
const most = 49;

/** The end of a tenant's chain. */
export async function chainHead(scope: TenantScope): Promise<ChainHead> {
  const item = await tenantTable(scope).get(keys.auditHead(scope.tenantId), { consistent: true });
  return (item as unknown as ChainHead | undefined) ?? noEvents;
}

/** The chain has another end meanwhile. */
class Overtaken extends Error {}

/** One of the changes was noted before. */
class NotedBefore extends Error {}

/** A chain's new end. It was at `before`: so of many who append at once each goes behind the other, and nothing forks. */
const headWrite = ({ tenantId }: TenantScope, before: ChainHead, { seq, hash }: ChainHead): Write => ({
  put: { ...keys.auditHead(tenantId), discriminator: "audit-head", seq, hash },
  condition:
    before.seq === 0
      ? { where: "attribute_not_exists(#pk)", onConditionFailed: () => new Overtaken() }
      : { where: "#hash = :hash", values: { hash: before.hash }, onConditionFailed: () => new Overtaken() },
});

function eventWrites({ tenantId }: TenantScope, event: AuditEvent): Write[] {
  const { id, seq, target } = event;
  return [
    {
      put: { ...keys.auditMark(tenantId, id), discriminator: "audit-mark", ttl: expiresAfter(marked) },
      // One whose time is over counts as gone here as well: reads do not find it, and would be asked again and again.
      condition: absentOrExpired(() => new NotedBefore()),
    },
    {
      put: {
        ...keys.auditEvent(tenantId, seq),
        ...indexKeys.auditByTarget(tenantId, target.id, seq),
        discriminator: "audit-event",
        ...event,
      },
      condition: { where: "attribute_not_exists(#pk)", onConditionFailed: () => new Overtaken() },
    },
  ];
}

/**
 * Appends events to a tenant's chain, each once: one whose change was noted before is left out, however often and by
 * however many the change is delivered.
 */
export async function appendEvents(scope: TenantScope, events: readonly UnchainedEvent[]): Promise<void> {
  let waiting = [...new Map(events.map((event) => [event.id, event])).values()];
  for (let attempt = 0; waiting.length > 0; ) {
    const before = await chainHead(scope);
    const next = chained(waiting.slice(0, most), before);
    const last = next.at(-1) as AuditEvent;
    try {
      await tenantTable(scope).transact([
        headWrite(scope, before, last),
        ...next.flatMap((event) => eventWrites(scope, event)),
      ]);
      waiting = waiting.slice(most);
      attempt = 0;
    } catch (error) {
      if (error instanceof NotedBefore) waiting = await notYetNoted(scope, waiting);
      else if (error instanceof Overtaken) await retryDelay(Math.min(++attempt, 3));
      else throw error;
    }
  }
}

/** Those of the events whose changes were not noted before. */
async function notYetNoted(scope: TenantScope, events: readonly UnchainedEvent[]): Promise<UnchainedEvent[]> {
  const keyOf = ({ id }: UnchainedEvent) => keys.auditMark(scope.tenantId, id);
  const marks = await batchGetAll(tenantTable(scope), events.map(keyOf), { consistent: true });
  const noted = new Set(marks.map(({ sk }) => sk));
  return events.filter((event) => !noted.has(keyOf(event).sk));
}

/** What a list of events can be narrowed to. */
export interface AuditFilters {
  /** Id of a user or key, or `system`. */
  readonly actor?: string | undefined;
  /** An action, or the kind that actions begin with. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function matches({ actor, action, occurred_at }: AuditEvent, filters: AuditFilters): boolean {
  const { since, until } = filters;
  return (
    (filters.actor === undefined || (actor.id ?? actor.type) === filters.actor) &&
    (filters.action === undefined || action === filters.action || action.startsWith(`${filters.action}.`)) &&
    (since === undefined || occurred_at >= since) &&
    (until === undefined || occurred_at <= until)
  );
}

/** Events looked at for one page: a chain has no end, and a function half a minute. */
const looksAt = 20_000;

/** A stream tells of a change within a day: events stand that much out of order at most. In milliseconds. */
const disorder = 25 * 3_600_000;

const occurredAt = (item: Item) => Date.parse(eventOf(item).occurred_at);

/** A place in the chain from which on nothing has happened before that moment; found by halving. */
async function placeAfter(scope: TenantScope, moment: string): Promise<number> {
  const late = Date.parse(moment) + disorder;
  let [before, beyond] = [0, (await chainHead(scope)).seq + 1];
  while (beyond - before > 1) {
    const middle = Math.floor((before + beyond) / 2);
    const item = await tenantTable(scope).get(keys.auditEvent(scope.tenantId, middle));
    if (item && occurredAt(item) > late) beyond = middle;
    else before = middle;
  }
  return beyond;
}

/**
 * Events, newest first. A time narrows what is read, and so does a target.
 * @throws ServiceError `invalid_cursor`
 */
export async function listEvents(
  scope: TenantScope,
  filters: AuditFilters,
  { limit, cursor }: PageRequest,
): Promise<Page<AuditEvent>> {
  const { target, since, until } = filters;
  const place =
    target === undefined
      ? { pk: keys.auditEvent(scope.tenantId, 0).pk, prefix }
      : { index: "gsi1" as const, pk: indexKeys.auditByTarget(scope.tenantId, target, 0).gsi1pk };
  const earliest = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since) - disorder;
  const list = {
    list: "audit-events",
    filters: { ...filters },
    ...place,
    descending: true,
    where: (item: Item) => matches(eventOf(item), filters),
    looksAt,
    ends: (item: Item) => occurredAt(item) < earliest,
  };
  const skips = target === undefined && until !== undefined && cursor === undefined;
  const start = skips
    ? toCursor(scope, list, keys.auditEvent(scope.tenantId, await placeAfter(scope, until)).sk)
    : cursor;
  const { entries, next } = await listPage(scope, list, { limit, ...(start && { cursor: start }) });
  return { entries: entries.map(eventOf), next };
}

/** The next events of the chain behind a place, in order. */
export async function eventsAfter(scope: TenantScope, seq: number, limit: number): Promise<AuditEvent[]> {
  const { pk, sk } = keys.auditEvent(scope.tenantId, seq);
  const after = seq === 0 ? undefined : sk;
  return (await tenantTable(scope).query({ pk, prefix, after, limit, consistent: true })).map(eventOf);
}
