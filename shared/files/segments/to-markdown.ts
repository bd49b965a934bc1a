import { toMarkdownTable } from "./markdown-table.ts";
import type { Segment } from "./segments.ts";

function segmentToMarkdown(segment: Segment): string {
  if (segment.kind === "heading") return `${"#".repeat(segment.level)} ${segment.title}`;
  if (segment.kind !== "table") return segment.text;
  const { header, rows } = toMarkdownTable(segment.rows);
  return [header, ...rows].join("\n");
}

const SEPARATOR = "\n\n";

/** Converts the segments of a file to Markdown. */
export const toMarkdown = (segments: readonly Segment[]): string => segments.map(segmentToMarkdown).join(SEPARATOR);

/**
 * Returns the positions in `toMarkdown(segments)` at which the pages start, from page 1, in UTF-16 code units. A page
 * without text starts where the next page does. Empty for files without pages.
 */
export function findPageStarts(segments: readonly Segment[]): number[] {
  const starts: number[] = [];
  let offset = 0;
  for (const segment of segments) {
    const pageBreaks = (segment.kind === "text" && segment.pageBreaks) || [];
    for (const [index, position] of [0, ...pageBreaks].entries()) {
      while (segment.page !== undefined && starts.length < segment.page + index) starts.push(offset + position);
    }
    offset += segmentToMarkdown(segment).length + SEPARATOR.length;
  }
  return starts;
}
