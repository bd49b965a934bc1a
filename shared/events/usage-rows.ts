import { USAGE_FILE_ENDPOINT } from "../dynamodb/governance-keys.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";
import { findTenant } from "../tenancy/tenant-store.ts";
import { recordDelivery } from "./delivery-store.ts";
import type { ServiceEvent } from "./to-event.ts";

/** Columns of the event `usage.settled`. Users are left out, because files outlive the erasure of their data. */
const dataColumns = [
  ...["reply_id", "key_id", "persona_id", "model", "requests", "input_tokens", "output_tokens", "total_tokens"],
  ...["cached_tokens", "cost_usd", "created_at"],
];

export const usageColumns: readonly string[] = [
  ...["event_id", "type", "tenant_id", "billing_id", "settled_at"],
  ...dataColumns,
];

/** Returns true if usage is written to files. */
export const hasUsageFiles = () => env("METERING_FORMAT").METERING_FORMAT === "csv";

/**
 * Stores usage as a row of the file of its day. The row contains the `billing_id` of this moment, so that a file that is
 * written again does not change.
 * @param changeType type of the change that the event is made from
 */
export async function recordUsageRow(scope: TenantScope, event: ServiceEvent, changeType: string): Promise<void> {
  const { data } = JSON.parse(event.payload) as { data: Record<string, unknown> };
  const row = {
    event_id: event.id,
    type: changeType === "usage-correction-created" ? "correction" : "usage",
    tenant_id: scope.tenantId,
    billing_id: (await findTenant(scope))?.billing_id ?? null,
    settled_at: event.at,
    ...Object.fromEntries(dataColumns.map((name) => [name, data[name] ?? null])),
  };
  await recordDelivery(scope, USAGE_FILE_ENDPOINT, { ...event, payload: JSON.stringify(row) }, "delivered");
}
