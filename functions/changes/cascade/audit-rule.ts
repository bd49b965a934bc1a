import { microBatch } from "#shared/changes/micro-batch.ts";
import type { Change, Rule } from "#shared/changes/processor.ts";
import { scopeFromKey } from "#shared/dynamodb/tenant-scope.ts";
import type { UnchainedEvent } from "#shared/governance/audit/audit-chain.ts";
import { auditEventOf, auditedTypes } from "#shared/governance/audit/audit-rules.ts";
import { appendEvents } from "#shared/governance/audit/audit-store.ts";
import { timestamp } from "#shared/lib/clock.ts";

interface TenantEvent {
  readonly tenantId: string;
  readonly event: UnchainedEvent;
}

/** Events of one delivery are appended together: the chain's end is written once for all of a tenant's. */
const append = microBatch(async (noted: readonly TenantEvent[]) => {
  const byTenant = Map.groupBy(noted, ({ tenantId }) => tenantId);
  await Promise.all(
    [...byTenant].map(([tenantId, events]) =>
      appendEvents(
        { tenantId },
        events.map(({ event }) => event),
      ),
    ),
  );
});

/** When a change was made: a stream tells it to the second, and most items to the millisecond. */
function momentOf({ timestamp: at, after }: Change): string {
  const written = Number(after?.timestamp);
  return timestamp(Math.abs(written - at) < 2_000 ? written : at);
}

/** The audit trail follows changes. */
export const auditRule: Rule = {
  id: "audit",
  on: auditedTypes,
  concurrency: 100,
  apply: async (change) => {
    const event = auditEventOf({ ...change, at: momentOf(change) });
    const { pk } = change.after ?? change.before ?? {};
    if (event) await append({ tenantId: scopeFromKey(String(pk)).tenantId, event });
  },
};
