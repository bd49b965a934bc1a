/** Prefix of the mark of an item that `npm run tenant` removes. */
const REMOVED = "removed ";

/**
 * Tells whether a change is a copy of an item, by `npm run tenant`. Processors ignore these: what they derived from the original, such
 * as usage and the audit trail, is copied too. Copies set `copied_at`, which no other change sets; a removal sets it first.
 */
export function isCopy(
  before: Readonly<Record<string, unknown>> | undefined,
  after: Readonly<Record<string, unknown>> | undefined,
): boolean {
  if (after) return after.copied_at !== undefined && after.copied_at !== before?.copied_at;
  return String(before?.copied_at ?? "").startsWith(REMOVED);
}

/** Returns the mark of items that are copied at a time. */
export const copyMark = (at: string): string => at;

/** Returns the mark of items that are removed at a time. */
export const removalMark = (at: string): string => REMOVED + at;
