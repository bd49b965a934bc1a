/** Line of a file of test items, or row of a CSV file, which has several lines if a value does. */
export interface ItemLine {
  /** Number of the first line in the file, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Lines of a file that are items, and what precedes them in each request. */
export interface ItemFile {
  readonly format: "jsonl" | "csv";
  readonly head: string;
  readonly lines: readonly ItemLine[];
}

const delimiters = ["\t", ";", "|", ","] as const;

const columns = new Set(["question", "note", "contains", "not_contains", "cites", "refuses"]);

/** Returns the delimiter that separates most names of columns in the first line. */
function findDelimiter(header: string): string {
  const countColumns = (delimiter: string) =>
    header.split(delimiter).filter((name) => columns.has(name.replaceAll('"', "").trim())).length;
  return delimiters.toSorted((one, other) => countColumns(other) - countColumns(one))[0] ?? ",";
}

/** Splits CSV into rows. A quote at the beginning of a value begins a text that can contain line breaks. */
function splitRows(text: string, delimiter: string): ItemLine[] {
  const rows: ItemLine[] = [];
  let [start, number, line] = [0, 1, 1];
  let [isQuoted, isValueStart] = [false, true];
  const endRow = (end: number) => {
    const row = text.slice(start, end);
    // The service leaves out rows without values, and would count the others differently.
    if (row.split(delimiter).some((value) => value.replaceAll('"', "").trim() !== "")) rows.push({ number, text: row });
    start = end + 1;
    number = line;
  };
  for (let position = 0; position < text.length; position++) {
    const character = text[position];
    if (character === "\n") line++;
    if (isQuoted) {
      if (character === '"' && text[position + 1] === '"') position++;
      else if (character === '"') isQuoted = false;
      continue;
    }
    if (character === '"' && isValueStart) isQuoted = true;
    else if (character === "\n") endRow(position);
    isValueStart = character === delimiter || character === "\n";
  }
  if (start < text.length) endRow(text.length);
  return rows;
}

/** Splits a file of test items into lines, of which each becomes an item or an error. Empty ones are left out. */
export function splitItemLines(format: ItemFile["format"], text: string): ItemFile {
  const normalized = text.replace(/\r\n?/g, "\n");
  if (format === "jsonl") {
    const lines = normalized.split("\n").map((line, index) => ({ number: index + 1, text: line }));
    return { format, head: "", lines: lines.filter((line) => line.text.trim() !== "") };
  }
  const declared = /^sep=(.)\n/.exec(normalized);
  const content = declared ? `\n${normalized.slice(declared[0].length)}` : normalized;
  const delimiter = declared?.[1] ?? findDelimiter(content.split("\n", 1)[0] ?? "");
  const [header, ...lines] = splitRows(content, delimiter);
  // Each request names the delimiter, which could not be recognized by a few rows.
  return { format, head: `sep=${delimiter}\n${header?.text ?? ""}\n`, lines };
}
