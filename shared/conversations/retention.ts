/** Attributes of a conversation that determine its expiry. */
export interface RetainedItem {
  readonly last_activity_at: string;
  /** Retention after the last activity. Without it, the conversation does not expire. */
  readonly retention_days?: number;
  /** TTL attribute of the table, in epoch seconds. */
  readonly ttl?: number;
}

/** Retention of temporary conversations. */
export const TEMPORARY_DAYS = 1;

/** Returns the retention of a conversation in days; null if it does not expire. */
export const retentionDays = (
  { temporary }: { readonly temporary?: boolean | undefined },
  policyDays: number | null,
) => (temporary ? TEMPORARY_DAYS : policyDays);

const SECONDS_PER_DAY = 86_400;

/** Returns the expiry in epoch seconds, or undefined if the retention is unlimited. */
export function toExpirySeconds(lastActivityAt: string, days: number | null | undefined): number | undefined {
  return typeof days === "number" ? Math.floor(Date.parse(lastActivityAt) / 1_000) + days * SECONDS_PER_DAY : undefined;
}

/** Checks whether the stored TTL matches the last activity and the retention of an item. */
export function hasCurrentExpiry({ last_activity_at, retention_days, ttl }: RetainedItem): boolean {
  return ttl === toExpirySeconds(last_activity_at, retention_days);
}
