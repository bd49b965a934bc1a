import type { Segment } from "./segments/segments.ts";

function toLength(segment: Segment): number {
  if (segment.kind !== "table") return segment.text.length;
  return segment.rows.flat().reduce((sum, cell) => sum + cell.length + 3, 0);
}

/**
 * Returns the total length of the text of segments, in UTF-16 code units. Each table cell counts three more for its
 * separator.
 */
export const toTextLength = (segments: readonly Segment[]): number =>
  segments.reduce((sum, segment) => sum + toLength(segment), 0);
