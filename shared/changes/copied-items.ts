/** Prefix of `copied_at` on an item that `npm run tenant` is about to remove. */
const REMOVED = "removed ";

/**
 * Returns true if `npm run tenant` made the change by copying or removing an item. Stream processors ignore such changes,
 * because data derived from the original, such as usage and the audit trail, is copied as well. Only this command sets
 * `copied_at`, also on items right before it removes them.
 */
export function isCopy(
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>> | undefined,
): boolean {
  if (after) return after.copied_at !== undefined && after.copied_at !== before?.copied_at;
  return String(before?.copied_at ?? "").startsWith(REMOVED);
}

/** Returns the value of `copied_at` for items that are copied at a time. */
export const copyMark = (at: string): string => at;

/** Returns the value of `copied_at` for items that are removed at a time. */
export const removalMark = (at: string): string => REMOVED + at;
