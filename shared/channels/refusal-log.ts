import { indexKeys, keys } from "../dynamodb/keys.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp, uniqueTimestamp } from "../lib/clock.ts";
import type { ServiceError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { log } from "../lib/log.ts";

/** Retention of deliveries: during this time they are listed, and repeated deliveries are recognized. */
export const DELIVERY_RETENTION_SECONDS = 90 * 24 * 3_600;

/** Maximum number of invalid fields that the log names. */
const MAX_LISTED_FIELDS = 10;

/** Reason and explanation of a refusal. */
export interface Refusal {
  /** Machine-readable reason, such as `invalid_signature`. */
  readonly reason: string;
  /** Explanation without any value of the body, because lists of deliveries must not contain what was refused. */
  readonly detail: string;
  /** Body of a delivery whose signature is valid, for the preview of the channel's paths. */
  readonly body?: string;
}

/** Maximum size of a stored body of a refused delivery. */
const MAX_BODY_LENGTH = 16_384;

/** Returns the refusal that an error stands for: the names of invalid fields, but not their messages, which can quote values. */
export function toRefusal({ code, message, errors = [] }: ServiceError): Refusal {
  const fields = errors.slice(0, MAX_LISTED_FIELDS).map(({ location, path }) => `${location} ${path}`);
  return { reason: code, detail: fields.length > 0 ? `${message} Invalid: ${fields.join(", ")}.` : message };
}

/** Number of equal refusals in a minute that are counted one by one. */
const MAX_SINGLE_COUNTS = 16;

/** Equal refusals of the current minute in this process, by tenant, channel and fingerprint. */
let counts = new Map<string, number>();
let countedMinute = 0;

/**
 * Counts a refusal in this process.
 * @returns the number of refusals to add to the log now. The first 16 are added one by one; later ones are added only when
 *   the count has doubled, so that a flood causes few writes
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
 * Adds a refused delivery to the log, best-effort. Refusals of one minute with the same reason are one entry that counts
 * them; counts above 16 are lower bounds.
 */
export async function recordRefusal(scope: TenantScope, channelId: string, refusal: Refusal): Promise<void> {
  const { reason, detail, body = "" } = refusal;
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
        ...(body !== "" && body.length <= MAX_BODY_LENGTH && { body }),
        received_at: timestamp(),
      },
      add: { refusals },
    });
  } catch (error) {
    log.warn("refused delivery not recorded", { channel_id: channelId, error });
  }
}
