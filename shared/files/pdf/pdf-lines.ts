import { joinRuns, type TextRun } from "./pdf-letters.ts";

/** Part of a line between wide gaps, with its horizontal extent in points. */
interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Line of text with its position. Coordinates are in points from the bottom left of the page. */
export interface Line {
  readonly text: string;
  /** Height of the largest font in the line. */
  readonly height: number;
  readonly y: number;
  readonly page: number;
  /** Parts of the line between wide gaps, at least one. */
  readonly cells: readonly Cell[];
}

/** Text item of a page, as PDF.js returns it. */
export interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/**
 * Minimum distance between two items of different cells, relative to the font height. Spaces in justified text are
 * narrower.
 */
const CELL_GAP = 1.2;
/**
 * Maximum distance, relative to the font height, between equal texts that count as one text, drawn twice to look bold.
 */
const COPY_DISTANCE = 0.15;
/** Minimum overlap, relative to the width of a letter, of two equal letters that count as one letter, drawn twice. */
const COPY_OVERLAP = 0.6;

/** Cell that is still being read. */
interface OpenCell {
  readonly runs: TextRun[];
  readonly start: number;
  end: number;
}

/** Line that is still being read. */
interface OpenLine {
  readonly y: number;
  readonly start: number;
  end: number;
  height: number;
  readonly cells: OpenCell[];
  lastLetter: string;
}

const toX = ({ transform }: TextItem) => transform[4] ?? 0;
const toY = ({ transform }: TextItem) => transform[5] ?? 0;

/** Returns true if an item has nearly the same position as an earlier item with the same text. */
function isCopy(item: TextItem, other: TextItem | undefined): boolean {
  if (!other || item.str.trim() === "") return false;
  const distance = Math.max(Math.abs(toX(item) - toX(other)), Math.abs(toY(item) - toY(other)));
  return distance <= item.height * COPY_DISTANCE;
}

/**
 * Returns the text of an item. Its first letter is removed if it repeats the last letter of the line at the same
 * position.
 */
function withoutRepeatedLetter({ str, width }: TextItem, x: number, { end, lastLetter }: OpenLine): string {
  const letterWidth = width / str.length;
  const overlap = (end - x) / letterWidth;
  return str[0] === lastLetter && overlap > COPY_OVERLAP && overlap < 2 - COPY_OVERLAP ? str.slice(1) : str;
}

function addItem(line: OpenLine, item: TextItem): void {
  const { width, height } = item;
  const x = toX(item);
  const text = withoutRepeatedLetter(item, x, line);
  const isSpace = text.trim() === "";
  let cell = line.cells.at(-1);
  if (cell && (x - cell.end > height * CELL_GAP || x < cell.start) && !isSpace) cell = undefined;
  if (!cell) {
    cell = { runs: [], start: x, end: x };
    line.cells.push(cell);
  }
  cell.runs.push({ text, gap: cell.runs.length === 0 ? 0 : x - line.end, width });
  if (!isSpace) {
    cell.end = x + width;
    line.height = Math.max(line.height, height);
    line.lastLetter = text.at(-1) ?? "";
  }
  line.end = x + width;
}

function closeLine({ y, height, cells }: OpenLine, page: number): Line {
  const closed = cells.map(({ runs, start, end }) => ({ text: joinRuns(runs, height), start, end }));
  const filled = closed.filter(({ text }) => text !== "");
  return { text: filled.map(({ text }) => text).join(" "), height, y, page, cells: filled };
}

/** Joins the text items of a page to lines. */
export function toLines(items: readonly TextItem[], page: number): Line[] {
  const lines: OpenLine[] = [];
  const lastByText = new Map<string, TextItem>();
  let line: OpenLine | null = null;
  for (const item of items) {
    const { str, hasEOL, height } = item;
    const [x, y] = [toX(item), toY(item)];
    if (str !== "" && !isCopy(item, lastByText.get(str))) {
      lastByText.set(str, item);
      const isApart =
        line && (Math.abs(line.y - y) > Math.max(line.height, height) * 0.5 || x + item.width <= line.start);
      if (!line || isApart) {
        line = { y, start: x, end: x, height: 0, cells: [], lastLetter: "" };
        lines.push(line);
      }
      addItem(line, item);
    }
    if (hasEOL) line = null;
  }
  return mergeRows(lines.map((open) => closeLine(open, page)).filter(({ text }) => text !== ""));
}

const rightToLeft = /\p{Script=Hebrew}|\p{Script=Arabic}/u;

/**
 * Joins consecutive lines at the same height. PDF.js ends a line at a wide gap, and programs draw parts of a line in
 * any order.
 */
function mergeRows(lines: readonly Line[]): Line[] {
  const rows: Line[][] = [];
  for (const line of lines) {
    const row = rows.at(-1);
    const [first, last] = [row?.[0], row?.at(-1)];
    const isSameRow = last !== undefined && Math.abs(last.y - line.y) <= 0.2 * Math.max(last.height, line.height);
    const isAfter = isSameRow && toStart(line) >= toEnd(last);
    const isBefore = isSameRow && first !== undefined && toEnd(line) <= toStart(first) && !rightToLeft.test(line.text);
    if (row && isAfter) row.push(line);
    else if (row && isBefore) row.unshift(line);
    else rows.push([line]);
  }
  return rows.map((row) => (row.length === 1 && row[0] ? row[0] : joinRow(row)));
}

/** Returns the left edge of a line, in points. */
export const toStart = ({ cells }: Line): number => cells[0]?.start ?? 0;

/** Returns the right edge of a line, in points. */
export const toEnd = ({ cells }: Line): number => cells.at(-1)?.end ?? 0;

const joinRow = (row: readonly Line[]): Line => ({
  text: row.map(({ text }) => text).join(" "),
  height: row.reduce((highest, { height }) => Math.max(highest, height), 0),
  y: row[0]?.y ?? 0,
  page: row[0]?.page ?? 0,
  cells: row.flatMap(({ cells }) => cells),
});
