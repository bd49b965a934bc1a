import * as v from "valibot";
import { IncidentUpdate } from "../../api/investigations/updates.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../../dynamodb/keys.ts";
import { absent, equals, isPerformed, type Write } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, timestamp } from "../../lib/clock.ts";

const RETENTION_SECONDS = 90 * 24 * 3_600;
const MAX_LISTED = 100;

const StoredUpdate = v.object({
  ...IncidentUpdate.entries,
  conversation_id: v.string(),
  channel_id: v.string(),
  /**
   * Base URL of the provider's API at the time of the request. If the settings change later, the update is not sent.
   */
  url: v.string(),
  /** Time at which the approval expires; null if none is needed. */
  expires_at: v.nullable(v.string()),
});
export type StoredUpdate = v.InferOutput<typeof StoredUpdate>;

const readUpdate = itemReader(StoredUpdate);

export type UpdateRef = Pick<StoredUpdate, "id" | "investigation_id">;

const toKey = ({ tenantId }: TenantScope, { investigation_id, id }: UpdateRef) =>
  keys.incidentUpdate(tenantId, investigation_id, id);

/**
 * Returns the attributes of an update that clients receive. An update whose approval has expired has the status
 * `expired`.
 */
export function toIncidentUpdate(stored: StoredUpdate): IncidentUpdate {
  const isExpired = stored.status === "waiting" && (stored.expires_at ?? "") <= timestamp();
  return v.parse(IncidentUpdate, isExpired ? { ...stored, status: "expired" } : stored);
}

/**
 * Returns the write that stores a new update. If its status is `pending`, the rule `schedule-incident-update` then
 * schedules its delivery.
 */
export const newUpdateWrite = (scope: TenantScope, update: StoredUpdate): Write => ({
  put: {
    ...toKey(scope, update),
    discriminator: "incident-update",
    ttl: expiresAfter(RETENTION_SECONDS),
    ...update,
  },
  condition: absent(),
});

export async function findUpdate(scope: TenantScope, ref: UpdateRef): Promise<StoredUpdate | undefined> {
  const item = await tenantTable(scope).get(toKey(scope, ref), { consistent: true });
  return item && readUpdate(item);
}

/**
 * Changes an update.
 * @returns false if another function has changed its status or made an attempt since it was read
 */
export async function changeUpdate(
  scope: TenantScope,
  update: UpdateRef & Pick<StoredUpdate, "status" | "attempts">,
  set: Partial<StoredUpdate>,
): Promise<boolean> {
  const condition = equals({ status: update.status, attempts: update.attempts });
  return isPerformed(tenantTable(scope).write({ update: toKey(scope, update), set, condition }));
}

/** Lists the latest 100 updates of an incident, newest first. */
export async function listUpdates(scope: TenantScope, investigationId: string): Promise<StoredUpdate[]> {
  const { pk } = keys.incidentUpdate(scope.tenantId, investigationId, "");
  const query = { pk, prefix: keyPrefixes.incidentUpdate, descending: true, limit: MAX_LISTED, consistent: true };
  return (await tenantTable(scope).query(query)).map(readUpdate);
}
