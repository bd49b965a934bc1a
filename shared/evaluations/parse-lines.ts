import * as v from "valibot";
import { MAX_ADDED_ITEMS, NewTestItem } from "../api/evaluations/test-items.ts";
import { extractCsv } from "../files/extract-csv.ts";
import { invalidField } from "../lib/errors.ts";
import { parseJson } from "../lib/parse-json.ts";

/** Item of a request, or why there is none at this position. */
export type ParsedItem = { readonly item: NewTestItem } | { readonly problem: string };

function parseItem(value: unknown): ParsedItem {
  const result = v.safeParse(NewTestItem, value);
  if (result.success) return { item: result.output };
  const [issue] = result.issues;
  return { problem: [v.getDotPath(issue), issue.message].filter(Boolean).join(": ") };
}

function parseJsonLine(line: string): ParsedItem {
  const value = parseJson(line);
  return value === undefined ? { problem: "The line is not JSON." } : parseItem(value);
}

const isTrue = (text: string | undefined) => text?.toLowerCase() === "true";

/** Converts a row of a CSV file to an item. */
function parseRow(row: Readonly<Record<string, string>>): ParsedItem {
  const { question, note = "", contains, not_contains, cites, refuses } = row;
  const expectations = [
    ...(contains ? [{ type: "contains", text: contains }] : []),
    ...(not_contains ? [{ type: "not_contains", text: not_contains }] : []),
    ...(isTrue(cites) ? [{ type: "cites" }] : []),
    ...(isTrue(refuses) ? [{ type: "refuses" }] : []),
  ];
  return parseItem({ question, note, expectations });
}

function parseCsv(text: string): ParsedItem[] {
  const [table] = extractCsv(text).segments;
  const [header = [], ...rows] = table?.kind === "table" ? table.rows : [];
  if (!header.includes("question")) {
    throw invalidField("lines.text", "no_header", "must begin with a header line that has a column question");
  }
  return rows.map((row) => parseRow(Object.fromEntries(header.map((name, index) => [name, row[index] ?? ""]))));
}

/**
 * Parses JSON Lines or CSV. Each line becomes an item or a problem, so that one does not keep the others out.
 * @throws ServiceError `validation_failed` for too many lines, or CSV without a header
 */
export function parseLines({
  format,
  text,
}: {
  readonly format: "jsonl" | "csv";
  readonly text: string;
}): ParsedItem[] {
  const items =
    format === "csv"
      ? parseCsv(text)
      : text
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map(parseJsonLine);
  if (items.length <= MAX_ADDED_ITEMS) return items;
  throw invalidField("lines.text", "too_many", `must have at most ${MAX_ADDED_ITEMS} items`);
}
