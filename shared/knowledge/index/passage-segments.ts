import * as v from "valibot";

/**
 * Changes of page or headings within a passage, in order: start in UTF-16 code units, page or null, length of the start that
 * the headings share with those of the passage, and the rest of the headings. Positional, because the size of an item is
 * what its writes cost.
 */
export const StoredSegments = v.array(v.tuple([v.number(), v.nullable(v.number()), v.number(), v.string()]));
type StoredSegments = v.InferOutput<typeof StoredSegments>;

/** Part of a passage that stands on one page and below the same headings. */
export interface PassageSegment {
  /** Start in the text of the passage, in UTF-16 code units. */
  readonly start: number;
  /** From 1; null in documents without pages. */
  readonly page: number | null;
  /** Outermost first; null if there are none. */
  readonly heading: string | null;
}

/** Passage whose segments are stored. */
interface Segmented {
  readonly page?: number | undefined;
  readonly headings: string;
  readonly segments?: StoredSegments | undefined;
}

/** Maximum number of changes that are stored for a passage, so that a list of tiny sections cannot multiply its size. */
const MAX_CHANGES = 60;

function countShared(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * Encodes where the parts of a passage stand.
 * @returns undefined if all of them stand where the passage starts
 */
export function encodeSegments(
  { page, headings }: Omit<Segmented, "segments">,
  parts: readonly { readonly start: number; readonly page: number | undefined; readonly headings: string }[],
): StoredSegments | undefined {
  const changes: StoredSegments = [];
  let previous = { page, headings };
  for (const part of parts) {
    if (part.page !== previous.page || part.headings !== previous.headings) {
      const shared = countShared(headings, part.headings);
      changes.push([part.start, part.page ?? null, shared, part.headings.slice(shared)]);
    }
    previous = part;
  }
  return changes.length > 0 ? changes.slice(0, MAX_CHANGES) : undefined;
}

/** Returns the segments of a passage, the first of which starts at 0. Passages of earlier releases have one. */
export function toPassageSegments({ page, headings, segments = [] }: Segmented): PassageSegment[] {
  const changes = segments.map(([start, changedPage, shared, rest]) => ({
    start,
    page: changedPage,
    heading: headings.slice(0, shared) + rest || null,
  }));
  return changes[0]?.start === 0 ? changes : [{ start: 0, page: page ?? null, heading: headings || null }, ...changes];
}

/** Returns the segment that contains a position of the text. */
export const findSegment = (segments: readonly PassageSegment[], position: number): PassageSegment | undefined =>
  segments.findLast(({ start }) => start <= position);
