import { indexKeys, keys } from "../dynamodb/keys.ts";
import { ConditionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp, uniqueTimestamp } from "../lib/clock.ts";
import { log } from "../lib/log.ts";

/** Retention of deliveries: during this time they are listed, and repeated deliveries are recognized. */
export const DELIVERY_RETENTION_SECONDS = 90 * 24 * 3_600;

/**
 * Minute of the last recorded refusal, by channel and reason. A flood of refused requests must not cost one write each.
 */
const recordedMinutes = new Map<string, number>();
const MAX_RECORDED_MINUTES = 1_000;

/**
 * Adds a refused delivery to the log, at most one per minute, channel and reason in this process; best-effort. The body is
 * not stored, because its sender is unknown.
 */
export async function recordRefusal(scope: TenantScope, channelId: string, reason: string): Promise<void> {
  const minute = Math.floor(now() / 60_000);
  const memoKey = `${channelId}\n${reason}`;
  if (recordedMinutes.get(memoKey) === minute) return;
  if (recordedMinutes.size >= MAX_RECORDED_MINUTES) recordedMinutes.clear();
  recordedMinutes.set(memoKey, minute);
  const fingerprint = `refused-${reason}-${minute}`;
  try {
    await tenantTable(scope).write({
      put: {
        ...keys.delivery(scope.tenantId, channelId, fingerprint),
        ...indexKeys.deliveries(scope.tenantId, channelId, uniqueTimestamp()),
        discriminator: "delivery",
        ttl: expiresAfter(DELIVERY_RETENTION_SECONDS),
        fingerprint,
        status: "refused",
        reason,
        alert_id: null,
        message_id: null,
        provider: null,
        severity: null,
        ignored_fields: [],
        is_test: false,
        received_at: timestamp(),
        duplicates: 0,
      },
      condition: { where: "attribute_not_exists(#pk)" },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed))
      log.warn("refused delivery not recorded", { channel_id: channelId, error });
  }
}
