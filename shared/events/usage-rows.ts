import { USAGE_FILE_ENDPOINT } from "../dynamodb/governance-keys.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";
import { findTenant } from "../tenancy/tenant-store.ts";
import { recordEventDelivery } from "./delivery-store.ts";
import type { ServiceEvent } from "./to-event.ts";

/**
 * Columns with data of the event `usage.settled`. User ids are left out, because the files are kept when the data of a
 * user is erased.
 */
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
 * Stores usage as a row of its day's file. The row contains the `billing_id` at this time, so that a file that is
 * written again stays the same.
 * @param changeType type of the change that caused the event
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
  await recordEventDelivery(scope, USAGE_FILE_ENDPOINT, { ...event, payload: JSON.stringify(row) }, "delivered");
}
