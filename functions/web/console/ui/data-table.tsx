import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { getLocale, t } from "../lib/i18n.ts";

export interface Column<Row> {
  /** Head of the column; null for the column with the actions. */
  readonly label: string | null;
  readonly className?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Tooltip of a cell. */
  readonly title?: (row: Row) => string;
  /** Value by which rows are sorted when the head of the column is chosen. */
  readonly sortBy?: (row: Row) => string | number;
}

/** Column by which rows are sorted, and the direction. */
interface Order {
  readonly label: string | null;
  readonly isDescending: boolean;
}

/** Returns the rows in the order that a user chose; in their own order if there is none. */
function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | null): readonly Row[] {
  const sortBy = columns.find(({ label }) => label === order?.label)?.sortBy;
  if (!order || !sortBy) return rows;
  const compare = new Intl.Collator(getLocale(), { numeric: true, sensitivity: "base" }).compare;
  const direction = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [sortBy(a), sortBy(b)];
    const isNumeric = typeof first === "number" && typeof second === "number";
    return direction * (isNumeric ? first - second : compare(String(first), String(second)));
  });
}

/** Head of a column. That of a sortable one is a button which sorts up, then down. */
function ColumnHead<Row>(props: {
  readonly column: Column<Row>;
  readonly order: Order | null;
  readonly onOrder: (order: Order) => void;
}) {
  const { column, order, onOrder } = props;
  const { label, className, sortBy } = column;
  const isSorted = order?.label === label;
  const isDescending = isSorted && order?.isDescending === true;
  return (
    <th
      scope="col"
      class={className === "number" ? className : undefined}
      {...(isSorted && { "aria-sort": isDescending ? "descending" : "ascending" })}
    >
      {sortBy ? (
        <button type="button" class="sort" onClick={() => onOrder({ label, isDescending: isSorted && !isDescending })}>
          {label}
          <span aria-hidden="true">{isSorted ? (isDescending ? "▼" : "▲") : "↕"}</span>
        </button>
      ) : (
        (label ?? <span class="visually-hidden">{t("Actions")}</span>)
      )}
    </th>
  );
}

/** Length up to which a text of a cell stays on one line in a wide window, however long the other cells of the row are. */
const MAX_LINE_LENGTH = 28;

/** Length up to which a text stays on one line in every window, such as "53 minutes ago". */
const MAX_SHORT_LENGTH = 16;

/** Table whose rows become cards on phones, with the first column as heading. Renders nothing without entries. */
export function DataTable<Row>({
  rows,
  keyOf,
  columns,
}: {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
}) {
  const [order, setOrder] = useState<Order | null>(null);
  if (rows.length === 0) return null;
  return (
    <div class="table-wrap">
      <table class="data responsive">
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={column.label} column={column} order={order} onOrder={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sortRows(rows, columns, order).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ label, cell, className = "", title }, index) => {
                const content = cell(row);
                const isPhrase = typeof content === "string" && content.split(" ").length > 2;
                const length = index > 0 && typeof content === "string" ? content.length : Number.POSITIVE_INFINITY;
                const isLine = length <= MAX_LINE_LENGTH;
                const isShort = length <= MAX_SHORT_LENGTH;
                return (
                  <td
                    key={label}
                    class={
                      label === null
                        ? "actions"
                        : `${className} ${isLine ? "one-line" : ""} ${isShort ? "nowrap" : ""} ${isPhrase ? "phrase" : ""}`
                    }
                    data-label={index > 0 ? (label ?? undefined) : undefined}
                    title={title?.(row)}
                  >
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
