import { formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { AnswerTable } from "../answer-table.tsx";
import { chartTitleOf, isObject } from "./chart-title.ts";

const MAX_ROWS = 200;

interface Channel {
  readonly field?: unknown;
  readonly title?: unknown;
}

/** Returns columns and rows of a Vega-Lite chart whose specification contains the data; null for any other chart. */
function tableOf(spec: Record<string, unknown>): { columns: [field: string, label: string][]; rows: object[] } | null {
  const values = isObject(spec.data) ? spec.data.values : undefined;
  if (!Array.isArray(values) || !isObject(spec.encoding)) return null;
  // The table does not store the order of fields.
  const { x, color, y, ...others } = spec.encoding;
  const channels = [x, color, y, ...Object.values(others)].filter(isObject) as Channel[];
  const columns = new Map(
    channels.flatMap(({ field, title }) =>
      typeof field === "string" ? [[field, typeof title === "string" ? title : field]] : [],
    ),
  );
  const rows = values.filter(isObject);
  return columns.size > 0 && rows.length > 0 ? { columns: [...columns], rows } : null;
}

/**
 * Formats a value of the table.
 * @param isLabel true for a value of the horizontal axis, which can be a year and then has no thousands separator
 */
function toText(value: unknown, isLabel: boolean): string {
  return typeof value === "number" && !isLabel
    ? formatNumber(value)
    : isObject(value)
      ? JSON.stringify(value)
      : String(value ?? "");
}

/** Data of a Vega-Lite chart as a table, or the specification if it refers to data elsewhere. */
export function ChartTable({ spec }: { readonly spec: Record<string, unknown> }) {
  const table = tableOf(spec);
  const title = chartTitleOf(spec);
  if (!table) return <CodeSnippet title={title} language="json" code={JSON.stringify(spec, null, 2)} />;
  const { columns, rows } = table;
  return (
    <figure aria-label={title}>
      <figcaption>{title}</figcaption>
      <AnswerTable label={title}>
        <table>
          <thead>
            <tr>
              {columns.map(([field, label]) => (
                <th key={field} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MAX_ROWS).map((row, index) => (
              <tr key={index}>
                {columns.map(([field], column) => (
                  <td key={field}>{toText((row as Record<string, unknown>)[field], column === 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </AnswerTable>
      {rows.length > MAX_ROWS && <p class="muted small">{t("{count} more rows", { count: rows.length - MAX_ROWS })}</p>}
    </figure>
  );
}
