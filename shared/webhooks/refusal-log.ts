import { indexKeys, keys } from "../dynamodb/keys.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp, uniqueTimestamp } from "../lib/clock.ts";
import type { ServiceError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { log } from "../lib/log.ts";

/** Retention of deliveries: 90 days. During this time, they are listed and their repetitions are recognized. */
export const DELIVERY_RETENTION_SECONDS = 90 * 24 * 3_600;

/** Maximum number of invalid fields that an entry names. */
const MAX_LISTED_FIELDS = 10;

interface Refusal {
  /** Error code, such as `invalid_signature`. */
  readonly reason: string;
  /** Explanation that quotes no value of the body, because the list of deliveries must not contain refused content. */
  readonly detail: string;
}

/**
 * Returns the log entry for an error. It names invalid fields without their messages, because these can quote values.
 */
export function toRefusalEntry({ code, message, errors = [] }: ServiceError): Refusal {
  const fields = errors.slice(0, MAX_LISTED_FIELDS).map(({ location, path }) => `${location} ${path}`);
  return { reason: code, detail: fields.length > 0 ? `${message} Invalid: ${fields.join(", ")}.` : message };
}

/** Number of equal refusals per minute that are counted individually. */
const MAX_SINGLE_COUNTS = 16;

/** Number of equal refusals in the current minute that this process has counted, by tenant, channel and fingerprint. */
let counts = new Map<string, number>();
let countedMinute = 0;

/**
 * Counts a refusal in this process.
 * @returns the number to add to the log now: 1 for each of the first 16, later 0 until the count has doubled, so that a
 * flood causes few writes
 */
function countRefusal(id: string, minute: number): number {
  if (minute !== countedMinute) {
    counts = new Map();
    countedMinute = minute;
  }
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  if (count <= MAX_SINGLE_COUNTS) return 1;
  return Number.isInteger(Math.log2(count)) ? count / 2 : 0;
}

/**
 * Logs a refused delivery. Equal refusals within a minute share an entry with a counter, which is a lower bound above
 * 16. Best-effort: a failure is logged.
 */
export async function recordRefusal(scope: TenantScope, channelId: string, refusal: Refusal): Promise<void> {
  const { reason, detail } = refusal;
  const minute = Math.floor(now() / 60_000);
  const fingerprint = `refused-${minute}-${sha256(`${reason}\n${detail}`).slice(0, 12)}`;
  const refusals = countRefusal(`${scope.tenantId}\n${channelId}\n${fingerprint}`, minute);
  if (refusals === 0) return;
  try {
    await tenantTable(scope).write({
      update: keys.delivery(scope.tenantId, channelId, fingerprint),
      setIfAbsent: {
        ...indexKeys.deliveries(scope.tenantId, channelId, uniqueTimestamp()),
        discriminator: "delivery",
        ttl: expiresAfter(DELIVERY_RETENTION_SECONDS),
        fingerprint,
        status: "refused",
        reason,
        detail,
        alert_id: null,
        message_id: null,
        provider: null,
        severity: null,
        incident: null,
        ignored_fields: [],
        is_test: false,
        received_at: timestamp(),
      },
      add: { refusals },
    });
  } catch (error) {
    log.warn("refused delivery not recorded", { channel_id: channelId, error });
  }
}
