const toCell = (text: string) => text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();

const toLine = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** Table as lines of Markdown. */
interface MarkdownTable {
  /** Header line and separator line. */
  readonly header: string;
  readonly rows: readonly string[];
}

/** Formats a table as Markdown. The first row is the header. Rows and columns that are entirely empty are left out. */
export function toMarkdownTable(rows: readonly (readonly string[])[]): MarkdownTable {
  const width = rows.reduce((max, row) => Math.max(max, row.length), 0);
  const columns = Array.from({ length: width }, (_, column) => column).filter((column) =>
    rows.some((row) => (row[column] ?? "").trim() !== ""),
  );
  const [header = "", ...lines] = rows
    .map((row) => columns.map((column) => toCell(row[column] ?? "")))
    .filter((cells) => cells.some((cell) => cell !== ""))
    .map(toLine);
  return { header: `${header}\n${toLine(columns.map(() => "---"))}`, rows: lines };
}
