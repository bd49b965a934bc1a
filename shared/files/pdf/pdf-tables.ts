import type { Line } from "./pdf-lines.ts";

/** Minimum number of rows of a table; fewer lines can be aligned by accident. */
const MIN_ROWS = 3;
/** Maximum distance between two rows, relative to the font height. */
const MAX_ROW_GAP = 3;
/** Minimum share of cells with text, so that scattered text is not a table. */
const MIN_FILLED = 0.6;
/** Maximum number of cells of a row and of columns. */
const MAX_COLUMNS = 64;
/** Maximum number of lines of the same rows that are tried as the first line of a table, so that the time stays linear. */
const MAX_ATTEMPTS = 4;
/** Average length of cells from which aligned text counts as prose in columns. */
const MAX_AVERAGE_LENGTH = 30;

/** Horizontal extent of a column. */
interface Column {
  readonly start: number;
  readonly end: number;
}

/** Merges the extents of the cells of all rows where they overlap. */
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

/** Returns the rows of a table if the positions of the lines make it clear that they form one. */
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

/** Table with the number of lines that it consists of. */
interface FoundTable {
  readonly rows: string[][];
  readonly lineCount: number;
}

/** Finds tables in the lines of a document. */
export class TableFinder {
  readonly #lines: readonly Line[];
  /** Index of the line after rows that do not form a table. */
  #noTableUntil = 0;
  #attempts = 0;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  /** Returns the table that starts at a line, if there is one. Lines must be asked for in their order. */
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

  /** Returns the lines from a start that can be rows: they have several cells and small distances. */
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
