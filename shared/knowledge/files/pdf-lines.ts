/** Text of a line between wide gaps, with its horizontal extent in points. */
export interface Cell {
  text: string;
  readonly start: number;
  end: number;
}

/** Text of one line with its position; coordinates are in points from the bottom left of the page. */
export interface Line {
  text: string;
  /** Height of the largest font in the line. */
  height: number;
  readonly y: number;
  readonly page: number;
  readonly cells: Cell[];
}

/** Part of the text of a page, as pdf.js returns it. */
interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** Distance between two items of a line, relative to the font height, from which on a space is inserted. */
const SPACE_GAP = 0.2;
/**
 * Distance, relative to the font height, from which on items belong to different cells. Spaces of justified text are
 * narrower.
 */
const CELL_GAP = 1.2;

/** Adds text to the last cell of a line, or starts a cell after a wide gap. */
function addToCells(cells: Cell[], { str, width, height }: TextItem, x: number, needsSpace: boolean): void {
  const last = cells.at(-1);
  if (last && x - last.end <= height * CELL_GAP && x >= last.start) {
    last.text += needsSpace ? ` ${str}` : str;
    if (str.trim() !== "") last.end = x + width;
  } else if (str.trim() !== "") cells.push({ text: str, start: x, end: x + width });
}

/** Joins the parts of a page's text to lines. */
export function toLines(items: readonly TextItem[], page: number): Line[] {
  const lines: Line[] = [];
  let line: Line | null = null;
  let end = 0;
  for (const item of items) {
    const { str, hasEOL, transform, width, height } = item;
    const [x = 0, y = 0] = transform.slice(4);
    if (line && Math.abs(line.y - y) > Math.max(line.height, height) * 0.5 && str !== "") line = null;
    if (!line && str !== "") {
      line = { text: "", height: 0, y, page, cells: [] };
      lines.push(line);
      end = x;
    }
    if (line) {
      const needsSpace = x - end > height * SPACE_GAP && line.text !== "" && !/\s$/.test(line.text) && str !== " ";
      line.text += needsSpace ? ` ${str}` : str;
      if (str.trim() !== "") line.height = Math.max(line.height, height);
      addToCells(line.cells, item, x, needsSpace);
      end = x + width;
    }
    if (hasEOL) line = null;
  }
  return mergeRows(lines.filter(({ text }) => text.trim() !== ""));
}

/** Joins successive lines at the same height: pdf.js ends a line at a wide gap. */
function mergeRows(lines: readonly Line[]): Line[] {
  const merged: Line[] = [];
  for (const line of lines) {
    const last = merged.at(-1);
    const [first] = line.cells;
    const lastCell = last?.cells.at(-1);
    const isSameRow = last !== undefined && Math.abs(last.y - line.y) <= 0.2 * Math.max(last.height, line.height);
    if (isSameRow && first && lastCell && first.start >= lastCell.end) {
      last.text += ` ${line.text}`;
      last.height = Math.max(last.height, line.height);
      last.cells.push(...line.cells);
    } else merged.push(line);
  }
  return merged;
}
