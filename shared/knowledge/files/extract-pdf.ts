import { getDocumentProxy } from "unpdf";
import type { Segment } from "../indexing/segments.ts";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_PAGES, MAX_TEXT_LENGTH } from "./extraction-limits.ts";
import { type Line, toLines } from "./pdf-lines.ts";
import { findTable } from "./pdf-tables.ts";

/** Distance between two lines, relative to the font height, from which on they belong to different paragraphs. */
const PARAGRAPH_GAP = 1.7;
/** Font height, relative to the font height of the body, from which on a short line is a heading. */
const HEADING_SCALE = 1.15;
const MAX_HEADING_LENGTH = 200;

/** Returns the font height that most characters have. */
function findBodyHeight(lines: readonly Line[]): number {
  const lengths = new Map<number, number>();
  for (const { text, height } of lines) {
    const rounded = Math.round(height * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + text.length);
  }
  return [...lengths].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, -1] as [number, number])[0];
}

/** Joins a line to the paragraph before it; a hyphen at the end of a line joins the parts of a word. */
function joinLine(paragraph: string, line: string): string {
  if (/\p{L}[-\u00ad]$/u.test(paragraph) && /^\p{Ll}/u.test(line)) return paragraph.slice(0, -1) + line;
  return `${paragraph}\n${line}`;
}

/** Groups lines into headings, which have a larger font than the body, tables, and paragraphs, which gaps separate. */
function toSegments(lines: readonly Line[]): Segment[] {
  const bodyHeight = findBodyHeight(lines);
  const isHeading = ({ text, height }: Line) =>
    height >= bodyHeight * HEADING_SCALE && text.length <= MAX_HEADING_LENGTH && /\p{L}/u.test(text);
  const headingHeights = [...new Set(lines.filter(isHeading).map(({ height }) => Math.round(height)))].sort(
    (a, b) => b - a,
  );
  const segments: Segment[] = [];
  let previous: Line | undefined;
  let tableEnd = 0;
  for (const [index, line] of lines.entries()) {
    if (index < tableEnd) continue;
    const table = findTable(lines, index);
    if (table) {
      segments.push({ kind: "table", rows: table.rows, page: line.page });
      tableEnd = index + table.lineCount;
      previous = undefined;
      continue;
    }
    const text = line.text.trim();
    const last = segments.at(-1);
    const isNear =
      previous !== undefined &&
      previous.page === line.page &&
      Math.abs(previous.y - line.y) <= PARAGRAPH_GAP * Math.max(previous.height, line.height);
    if (isHeading(line)) {
      const level = Math.min(6, headingHeights.indexOf(Math.round(line.height)) + 1);
      if (isNear && last?.kind === "heading" && last.level === level) {
        const title = `${last.title} ${text}`;
        segments[segments.length - 1] = { ...last, title, text: title };
      } else segments.push({ kind: "heading", level, title: text, text, page: line.page });
    } else if (isNear && last?.kind === "text") {
      segments[segments.length - 1] = { ...last, text: joinLine(last.text, text) };
    } else segments.push({ kind: "text", text, page: line.page });
    previous = line;
  }
  return segments;
}

/** Opens a document. Scripts, forms and external references of the file are never evaluated. */
async function openDocument(file: Uint8Array) {
  try {
    return await getDocumentProxy(new Uint8Array(file), {
      isEvalSupported: false,
      enableXfa: false,
      useSystemFonts: false,
      disableFontFace: true,
      stopAtErrors: false,
      maxImageSize: 0,
      verbosity: 0,
    });
  } catch (error) {
    throw new ExtractionError((error as Error).name === "PasswordException" ? "encrypted" : "corrupt");
  }
}

/** Extracts headings and paragraphs of a PDF file with their pages. */
export async function extractPdf(file: Uint8Array): Promise<ExtractedFile> {
  const document = await openDocument(file);
  if (document.numPages > MAX_PAGES) throw new ExtractionError("too_many_pages");
  const lines: Line[] = [];
  let length = 0;
  let unreadablePages = 0;
  for (let number = 1; number <= document.numPages; number++) {
    try {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const pageLines = toLines(
        items.flatMap((item) => ("str" in item ? [item] : [])),
        number,
      );
      length += pageLines.reduce((sum, { text }) => sum + text.length, 0);
      lines.push(...pageLines);
      page.cleanup();
    } catch {
      // A damaged page does not make the others unreadable.
      unreadablePages++;
    }
    if (length > MAX_TEXT_LENGTH) throw new ExtractionError("too_large");
  }
  if (unreadablePages === document.numPages) throw new ExtractionError("corrupt");
  if (lines.length === 0) throw new ExtractionError("scanned_only");
  const metadata = await document.getMetadata().catch(() => null);
  const title = (metadata?.info as { Title?: unknown } | undefined)?.Title;
  return {
    segments: toSegments(lines),
    pageCount: document.numPages,
    ...(typeof title === "string" && title.trim() && { title: title.trim() }),
  };
}
