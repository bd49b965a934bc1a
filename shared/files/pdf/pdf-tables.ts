import type { Line } from "./pdf-lines.ts";

/** Minimum number of rows of a table. Fewer lines may be aligned by chance. */
const MIN_ROWS = 3;
/** Maximum distance between two rows of a table, relative to the font height. */
const MAX_ROW_GAP = 3;
/** Minimum share of cells with text. With fewer, the text is scattered and not a table. */
const MIN_FILLED = 0.6;
/** Maximum number of columns of a table, and of cells in a row. */
const MAX_COLUMNS = 64;
/**
 * Maximum number of lines in the same group of rows that are tried as the first line of a table, which keeps the time
 * linear.
 */
const MAX_ATTEMPTS = 4;
/** Maximum average length of cells. Longer aligned text is prose in columns. */
const MAX_AVERAGE_LENGTH = 30;

/** Horizontal extent of a column, in points. */
interface Column {
  readonly start: number;
  readonly end: number;
}

/** Returns the columns of rows by merging overlapping cells. */
function findColumns(rows: readonly Line[]): Column[] {
  const extents = rows.flatMap(({ cells }) => cells).sort((a, b) => a.start - b.start);
  const columns: Column[] = [];
  for (const { start, end } of extents) {
    const last = columns.at(-1);
    if (last && start < last.end) columns[columns.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else columns.push({ start, end });
  }
  return columns;
}

const listMarker = /^(?:\p{L}[.)]|[(]?\d{1,3}(?:\.\d{1,3})*[.)]?|[•▪‣◦·–—*-])$/u;
const dotLeader = /(?:\.\s?){4}/;

/** Returns the rows of a table; null if the positions of the lines do not clearly form one. */
function toTable(rows: readonly Line[]): string[][] | null {
  const columns = findColumns(rows);
  if (columns.length > MAX_COLUMNS) return null;
  const table: string[][] = [];
  for (const { cells } of rows) {
    const row = columns.map(({ start, end }) => cells.filter((cell) => cell.start >= start && cell.end <= end));
    // Two cells of one row in the same column: a cell of another row spans both, so the columns are unclear.
    if (row.some(({ length }) => length > 1)) return null;
    table.push(row.map(([cell]) => cell?.text.trim() ?? ""));
  }
  const filled = table.flat().filter((text) => text !== "");
  const isScattered = filled.length < MIN_FILLED * table.length * columns.length;
  const isProse = filled.reduce((sum, { length }) => sum + length, 0) > MAX_AVERAGE_LENGTH * filled.length;
  const isList = columns.length === 2 && table.every(([first = ""]) => listMarker.test(first));
  const isContents = filled.some((text) => dotLeader.test(text));
  return columns.length < 2 || isScattered || isProse || isList || isContents ? null : table;
}

/** Table, and the number of lines that it covers. */
interface FoundTable {
  readonly rows: string[][];
  readonly lineCount: number;
}

/** Finds tables among the lines of a document. */
export class TableFinder {
  readonly #lines: readonly Line[];
  /** Index after the last group of lines that does not form a table. */
  #noTableUntil = 0;
  #attempts = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  /** Returns the table that starts at a line; null if there is none. Must be called with ascending lines. */
  find(start: number): FoundTable | null {
    if (start < this.#noTableUntil && this.#attempts >= MAX_ATTEMPTS) return null;
    const rows = this.#findRows(start);
    if (rows.length < MIN_ROWS) return null;
    const table = toTable(rows);
    if (table) return { rows: table, lineCount: rows.length };
    const end = start + rows.length;
    this.#attempts = end === this.#noTableUntil ? this.#attempts + 1 : 1;
    this.#noTableUntil = end;
    return null;
  }

  /** Returns the consecutive lines from `start` that may be rows: they have several cells and small distances. */
  #findRows(start: number): Line[] {
    const rows: Line[] = [];
    for (let index = start; index < this.#lines.length; index++) {
      const line = this.#lines[index];
      const previous = rows.at(-1);
      if (!line || line.cells.length < 2 || line.cells.length > MAX_COLUMNS) break;
      if (previous) {
        const gap = previous.y - line.y;
        const maxGap = MAX_ROW_GAP * Math.max(previous.height, line.height);
        if (previous.page !== line.page || gap <= 0 || gap > maxGap) break;
      }
      rows.push(line);
    }
    return rows;
  }
}
