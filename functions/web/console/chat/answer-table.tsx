import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { copyRich } from "../lib/copy-rich.ts";
import { t } from "../lib/i18n.ts";
import { IconButton } from "../ui/buttons.tsx";

/** Returns the cells of a table as tab-separated values. Cells with line breaks are quoted, as spreadsheets do. */
function toTsv(table: HTMLTableElement): string {
  const toValue = ({ innerText }: HTMLElement) => {
    const text = innerText.trim().replaceAll("\t", " ");
    return /["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [...table.rows].map((row) => [...row.cells].map(toValue).join("\t")).join("\n");
}

/** Table in an answer, which can be scrolled, with a button that copies it for spreadsheets and documents. */
export function AnswerTable({
  label,
  children,
}: {
  /** Accessible name; empty for a table whose columns have no names. */
  readonly label: string;
  /** Element with the table. */
  readonly children: ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const copy = () => {
    const table = ref.current?.querySelector("table");
    if (table) void copyRich(table.outerHTML, toTsv(table));
  };
  return (
    <div class="answer-table" ref={ref} dir="auto">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <div class="prose-table" role="region" aria-label={label || t("Table")} tabIndex={0}>
        {children}
      </div>
      <IconButton icon="copy" label={t("Copy the table")} onClick={copy} />
    </div>
  );
}
