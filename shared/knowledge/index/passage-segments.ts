import * as v from "valibot";

/**
 * Changes of page or headings within a passage, in order, each as a tuple: start in UTF-16 code units, page or null,
 * length of the prefix that the headings share with those of the passage, and the rest of the headings. Tuples keep the
 * items small, because writes are billed by size.
 */
export const StoredSegments = v.array(v.tuple([v.number(), v.nullable(v.number()), v.number(), v.string()]));
type StoredSegments = v.InferOutput<typeof StoredSegments>;

/** Part of a passage on one page and under the same headings. */
export interface PassageSegment {
  /** Start of the segment in the text of the passage, in UTF-16 code units. */
  readonly start: number;
  /** Page number, from 1; null in documents without pages. */
  readonly page: number | null;
  /** Headings above the segment, outermost first; null if there are none. */
  readonly heading: string | null;
}

/** Fields of a passage from which its segments are computed. */
interface Segmented {
  readonly page?: number | undefined;
  readonly headings: string;
  readonly segments?: StoredSegments | undefined;
}

/** Maximum number of stored changes per passage, so that many tiny sections cannot multiply its size. */
const MAX_CHANGES = 60;

function countShared(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/**
 * Encodes the changes of page and headings between the parts of a passage.
 * @returns undefined if all parts have the page and headings of the passage
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

/** Returns the segments of a passage. The first one starts at 0. */
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
