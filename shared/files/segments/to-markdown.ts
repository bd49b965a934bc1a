import { toMarkdownTable } from "./markdown-table.ts";
import type { Segment } from "./segments.ts";

function segmentToMarkdown(segment: Segment): string {
  if (segment.kind === "heading") return `${"#".repeat(segment.level)} ${segment.title}`;
  if (segment.kind !== "table") return segment.text;
  const { header, rows } = toMarkdownTable(segment.rows);
  return [header, ...rows].join("\n");
}

/** Converts the segments of a file to Markdown. */
export const toMarkdown = (segments: readonly Segment[]): string => segments.map(segmentToMarkdown).join("\n\n");
