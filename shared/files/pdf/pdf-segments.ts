import type { Segment } from "../segments/segments.ts";
import { type Line, toEnd, toStart } from "./pdf-lines.ts";
import { TableFinder } from "./pdf-tables.ts";

/** Maximum distance between two lines of one paragraph, relative to the font height. */
const PARAGRAPH_GAP = 1.7;
/** Minimum font height of a heading, relative to the font height of the body. */
const HEADING_SCALE = 1.15;
const MAX_HEADING_LENGTH = 200;
/** Minimum length of a line of running text, in UTF-16 code units. Lines of addresses and poems are shorter. */
const MIN_FULL_LENGTH = 30;
/**
 * Maximum free space at the end of a line whose paragraph continues, relative to the joint width of this line and the
 * next.
 */
const MAX_RAGGED_SHARE = 0.2;

/** Returns the font height of most characters. */
function findBodyHeight(lines: readonly Line[]): number {
  const lengths = new Map<number, number>();
  for (const { text, height } of lines) {
    const rounded = Math.round(height * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + text.length);
  }
  return [...lengths].reduce((best, entry) => (entry[1] > best[1] ? entry : best), [0, -1] as [number, number])[0];
}

const listMarker = /^(?:[•▪‣◦·–—*-]|[(]?(?:\d{1,3}|\p{L})[.)])\s/u;
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Returns true if a paragraph continues in the next line, by the margins and the text of both lines. */
function isContinued(previous: Line, line: Line): boolean {
  if (listMarker.test(line.text)) return false;
  if (/^\p{Ll}/u.test(line.text)) return true;
  const width = Math.max(toEnd(previous), toEnd(line)) - Math.min(toStart(previous), toStart(line));
  const isFull = Math.max(toEnd(previous), toEnd(line)) - toEnd(previous) <= width * MAX_RAGGED_SHARE;
  const isIndented = toStart(line) - toStart(previous) > line.height * 0.8;
  const length = ideograph.test(previous.text) ? 2 * previous.text.length : previous.text.length;
  return isFull && !isIndented && length >= MIN_FULL_LENGTH;
}

/** Paragraph or heading that is being built from lines. */
class Block {
  readonly #parts: string[];
  #last: Line;
  readonly level: number;

  constructor(line: Line, level: number) {
    this.#parts = [line.text];
    this.#last = line;
    this.level = level;
  }

  isNear({ page, y, height }: Line): boolean {
    const { page: lastPage, y: lastY, height: lastHeight } = this.#last;
    return lastPage === page && Math.abs(lastY - y) <= PARAGRAPH_GAP * Math.max(lastHeight, height);
  }

  /** Adds a line. A hyphen at the end of the previous line is removed to join the parts of a word. */
  add(line: Line): void {
    const previous = this.#last.text;
    const isHyphenated = /\p{L}[-\u00ad]$/u.test(previous) && /^\p{Ll}/u.test(line.text);
    if (isHyphenated) this.#parts.push(this.#parts.pop()?.slice(0, -1) ?? "", line.text);
    else if (this.level > 0) this.#parts.push(" ", line.text);
    else if (!isContinued(this.#last, line)) this.#parts.push("\n", line.text);
    else if (ideograph.test(previous.at(-1) ?? "") && ideograph.test(line.text[0] ?? "")) this.#parts.push(line.text);
    else this.#parts.push(" ", line.text);
    this.#last = line;
  }

  toSegment(page: number): Segment {
    const text = this.#parts.join("");
    return this.level > 0
      ? { kind: "heading", level: this.level, title: text, text, page }
      : { kind: "text", text, page };
  }
}

/**
 * Groups lines into headings, which have a larger font than the body, tables, and paragraphs, which are separated by
 * gaps.
 */
export function toPdfSegments(lines: readonly Line[]): Segment[] {
  const bodyHeight = findBodyHeight(lines);
  const isHeading = ({ text, height }: Line) =>
    height >= bodyHeight * HEADING_SCALE && text.length <= MAX_HEADING_LENGTH && /\p{L}/u.test(text);
  const headingHeights = [...new Set(lines.filter(isHeading).map(({ height }) => Math.round(height)))].sort(
    (a, b) => b - a,
  );
  const levels = new Map(headingHeights.map((height, index) => [height, Math.min(6, index + 1)]));
  const tables = new TableFinder(lines);
  const blocks: { segment(): Segment }[] = [];
  let block: Block | null = null;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as Line;
    const table = tables.find(index);
    if (table) {
      blocks.push({ segment: () => ({ kind: "table", rows: table.rows, page: line.page }) });
      index += table.lineCount - 1;
      block = null;
      continue;
    }
    const level = isHeading(line) ? (levels.get(Math.round(line.height)) ?? 1) : 0;
    if (block?.level === level && block.isNear(line)) block.add(line);
    else {
      const opened = new Block(line, level);
      blocks.push({ segment: () => opened.toSegment(line.page) });
      block = opened;
    }
  }
  return blocks.map(({ segment }) => segment());
}
