import { stringify } from "csv-stringify/sync";
import { type Reply, textReply } from "./reply.ts";

interface CsvOptions {
  /** False for rows that continue a file. */
  readonly hasHeader?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Creates a reply with rows as CSV (RFC 4180). Escapes formulas, because spreadsheets evaluate cells that start with `=`, `+`, `-` or
 * `@`, and texts and ids of other people can start with them.
 */
export function csvReply(
  rows: readonly object[],
  columns: readonly string[],
  { hasHeader = true, headers = {} }: CsvOptions = {},
): Reply<never> {
  const csv = stringify([...rows], {
    header: hasHeader,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: "windows",
    cast: { boolean: String },
  });
  return textReply(200, "text/csv; charset=utf-8", csv, headers);
}
