import { microBatch } from "#shared/changes/micro-batch.ts";
import type { Change, ChangeRule } from "#shared/changes/processor.ts";
import { scopeFromKey } from "#shared/dynamodb/tenant-scope.ts";
import type { UnchainedEvent } from "#shared/governance/audit/audit-chain.ts";
import { toAuditEvent } from "#shared/governance/audit/audit-events.ts";
import { auditedChangeTypes } from "#shared/governance/audit/audit-rules.ts";
import { appendEvents } from "#shared/governance/audit/audit-store.ts";
import { timestamp } from "#shared/lib/clock.ts";

interface TenantEvent {
  readonly tenantId: string;
  readonly event: UnchainedEvent;
}

/** Appends audit events of one batch of changes together, so that the head of each tenant's chain is written only once. */
const append = microBatch(async (batch: readonly TenantEvent[]) => {
  const byTenant = Map.groupBy(batch, ({ tenantId }) => tenantId);
  await Promise.all(
    [...byTenant].map(([tenantId, events]) =>
      appendEvents(
        { tenantId },
        events.map(({ event }) => event),
      ),
    ),
  );
});

/**
 * Returns the time of a change as ISO 8601. Uses the item's own timestamp, which has milliseconds, if it is within two
 * seconds of the stream record's, which has only seconds.
 */
function changeTime({ timestamp: streamTime, after }: Change): string {
  const itemTime = Number(after?.timestamp);
  return timestamp(Math.abs(itemTime - streamTime) < 2_000 ? itemTime : streamTime);
}

/** Appends an audit event for each audited change. */
export const auditRule: ChangeRule = {
  id: "audit",
  on: auditedChangeTypes,
  concurrency: 100,
  apply: async (change) => {
    const event = toAuditEvent({ ...change, at: changeTime(change) });
    const { pk } = change.after ?? change.before ?? {};
    if (event) await append({ tenantId: scopeFromKey(String(pk)).tenantId, event });
  },
};
