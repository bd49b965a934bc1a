import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Resource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import type { PagedList } from "../lib/pages.ts";
import { Button } from "./buttons.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { PageLayout } from "./layout.tsx";
import { Empty, ResourceStatus } from "./status.tsx";

/** Number of entries up to which a list explains itself below them. */
const MAX_FEW = 3;

/** Page with a list: its placeholder while it loads, its error, or an explanation if it has no or few entries. */
export function ListPage({
  resource,
  count,
  create,
  empty,
  children,
  ...page
}: {
  readonly title: string;
  readonly intro: string;
  readonly back: { readonly path: string; readonly label: string; readonly isNarrowOnly?: boolean };
  readonly resource: Resource<unknown> & { reload: () => void };
  readonly count: number;
  readonly create: ComponentChildren;
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: string };
  readonly children: ComponentChildren;
}) {
  return (
    <PageLayout {...page} actions={count > 0 ? create : undefined}>
      <ResourceStatus resource={resource} />
      {resource.value !== null && count === 0 && (
        <Empty icon={empty.icon} title={empty.title} action={create}>
          {empty.text}
        </Empty>
      )}
      {children}
      {count > 0 && count <= MAX_FEW && (
        <p class="list-note">
          <Icon name={empty.icon} />
          {empty.text}
        </p>
      )}
    </PageLayout>
  );
}

export interface Column<Row> {
  /** Head of the column; null for the column with the actions. */
  readonly label: string | null;
  readonly className?: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Tooltip of a cell. */
  readonly title?: (row: Row) => string;
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
  if (rows.length === 0) return null;
  return (
    <div class="table-wrap">
      <table class="data responsive">
        <thead>
          <tr>
            {columns.map(({ label, className }) => (
              <th key={label} scope="col" class={className === "number" ? className : undefined}>
                {label ?? <span class="visually-hidden">{t("Actions")}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
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

/** Button that shows more of a list, also when it is scrolled into view. Renders nothing when all entries are shown. */
export function MoreButton({ list: { more, entries } }: { readonly list: PagedList<unknown> }) {
  return more && <NextPage key={entries.length} load={more} />;
}

function NextPage({ load }: { readonly load: () => Promise<void> }) {
  const ref = useRef<HTMLDivElement>(null);
  const [isLoading, setLoading] = useState(false);
  const show = () => {
    setLoading(true);
    void load().finally(() => setLoading(false));
  };
  useEffect(() => {
    const observer = new IntersectionObserver(
      (changes) => changes.some(({ isIntersecting }) => isIntersecting) && show(),
    );
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={ref}>
      <Button isSmall kind="quiet" disabled={isLoading} onClick={show}>
        {isLoading ? t("Loading") : t("Show more")}
      </Button>
    </div>
  );
}
