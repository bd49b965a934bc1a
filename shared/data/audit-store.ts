import type { AuditEvent } from "../api/audit.ts";
import { expiry, timestamp } from "../clock.ts";
import { type ChainHead, chained, noEvents, type UnchainedEvent } from "../domain/audit-chain.ts";
import { indexKeys, keys } from "./keys.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { retryDelay } from "./retry-delay.ts";
import type { Item, Write } from "./table.ts";
import { type TenantScope, tableOf } from "./tenant-scope.ts";

const eventOf = (item: Item) => item as unknown as AuditEvent;

const prefix = "event#";

/** How long it is known that a change was noted, in seconds: a stream tells of changes for a day. */
const marked = 3 * 24 * 3_600;

/** Events in one transaction: each is two items, and the chain's end is one more. */
const most = 49;

/** The end of a tenant's chain. */
export async function chainHead(scope: TenantScope): Promise<ChainHead> {
  const item = await tableOf(scope).get(keys.auditHead(scope.tenantId), { consistent: true });
  return (item as unknown as ChainHead | undefined) ?? noEvents;
}

/** The chain has another end meanwhile. */
class Overtaken extends Error {}

/** One of the changes was noted before. */
class NotedBefore extends Error {
  readonly id: string;
  constructor(id: string) {
    super("A change was noted before");
    this.id = id;
  }
}

/** A chain's new end. It was at `before`: so of many who append at once each goes behind the other, and nothing forks. */
const headWrite = ({ tenantId }: TenantScope, before: ChainHead, { seq, hash }: ChainHead): Write => ({
  put: { ...keys.auditHead(tenantId), discriminator: "audit-head", seq, hash },
  condition:
    before.seq === 0
      ? { where: "attribute_not_exists(#pk)", otherwise: () => new Overtaken() }
      : { where: "#hash = :hash", values: { hash: before.hash }, otherwise: () => new Overtaken() },
});

function eventWrites({ tenantId }: TenantScope, event: AuditEvent): Write[] {
  const { id, seq, target } = event;
  return [
    {
      put: { ...keys.auditMark(tenantId, id), discriminator: "audit-mark", ttl: expiry(marked) },
      condition: { where: "attribute_not_exists(#pk)", otherwise: () => new NotedBefore(id) },
    },
    {
      put: {
        ...keys.auditEvent(tenantId, seq),
        ...indexKeys.auditByTarget(tenantId, target.id, seq),
        discriminator: "audit-event",
        recorded_at: timestamp(),
        ...event,
      },
      condition: { where: "attribute_not_exists(#pk)", otherwise: () => new Overtaken() },
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
      await tableOf(scope).transact([
        headWrite(scope, before, last),
        ...next.flatMap((event) => eventWrites(scope, event)),
      ]);
      waiting = waiting.slice(most);
      attempt = 0;
    } catch (error) {
      if (error instanceof NotedBefore) waiting = waiting.filter(({ id }) => id !== error.id);
      else if (error instanceof Overtaken) await retryDelay(Math.min(++attempt, 3));
      else throw error;
    }
  }
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

/**
 * Events, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listEvents(
  scope: TenantScope,
  filters: AuditFilters,
  request: PageRequest,
): Promise<Page<AuditEvent>> {
  const place =
    filters.target === undefined
      ? { pk: keys.auditEvent(scope.tenantId, 0).pk, prefix }
      : { index: "gsi1" as const, pk: indexKeys.auditByTarget(scope.tenantId, filters.target, 0).gsi1pk };
  const list = { list: "audit-events", filters: { ...filters }, ...place, descending: true };
  const { entries, next } = await listPage(
    scope,
    { ...list, where: (item) => matches(eventOf(item), filters) },
    request,
  );
  return { entries: entries.map(eventOf), next };
}

/** The next events of the chain behind a place, in order. */
export async function eventsAfter(scope: TenantScope, seq: number, limit: number): Promise<AuditEvent[]> {
  const { pk, sk } = keys.auditEvent(scope.tenantId, seq);
  const after = seq === 0 ? undefined : sk;
  return (await tableOf(scope).query({ pk, prefix, after, limit, consistent: true })).map(eventOf);
}
