/** Attributes of a conversation that determine when it expires. */
export interface RetainedItem {
  readonly last_activity_at: string;
  /** Days after the last activity until the conversation expires. Absent if it does not expire. */
  readonly retention_days?: number;
  /** TTL attribute of the item, in epoch seconds. */
  readonly ttl?: number;
}

/** Days after the last activity until a temporary conversation expires. */
export const TEMPORARY_DAYS = 1;

/**
 * Returns the days until a conversation expires, or null if it does not.
 * @param policyDays retention in the tenant's policy
 */
export const retentionDays = (
  { temporary }: { readonly temporary?: boolean | undefined },
  policyDays: number | null,
) => (temporary ? TEMPORARY_DAYS : policyDays);

const SECONDS_PER_DAY = 86_400;

/** Returns the expiry in epoch seconds, or undefined if the conversation does not expire. */
export function toExpirySeconds(lastActivityAt: string, days: number | null | undefined): number | undefined {
  return typeof days === "number" ? Math.floor(Date.parse(lastActivityAt) / 1_000) + days * SECONDS_PER_DAY : undefined;
}

/** Returns true if the stored TTL matches the last activity and the retention. */
export function hasCurrentExpiry({ last_activity_at, retention_days, ttl }: RetainedItem): boolean {
  return ttl === toExpirySeconds(last_activity_at, retention_days);
}
