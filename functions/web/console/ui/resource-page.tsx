import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { invalidate, type Resource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import type { PagedList } from "../lib/pages.ts";
import { Button } from "./buttons.tsx";
import { type Column, DataTable } from "./data-table.tsx";
import { ConfirmDialog } from "./dialog.tsx";
import { TextField } from "./fields.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { PageLayout } from "./layout.tsx";
import { MoreButton } from "./list.tsx";
import { Empty, ResourceStatus } from "./status.tsx";

/** Number of entries up to which a list explains itself below them. */
const MAX_FEW = 3;

/** Number of entries from which a list has a search. */
const MIN_SEARCHED = 9;

/** Question before an action that cannot be undone. */
interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly action?: string;
  readonly send: () => Promise<unknown>;
}

/** Dialogs that an entry of a list can open. */
export interface EntryActions<Entry> {
  readonly edit: (entry: Entry) => void;
  readonly confirm: (confirmation: Confirmation) => void;
}

/** Returns the function that asks before an action, and the dialog in which it asks. */
export function useConfirmation(onDone?: () => void) {
  const [asked, setAsked] = useState<Confirmation | null>(null);
  const dialog = asked && (
    <ConfirmDialog
      title={asked.title}
      text={asked.text}
      action={asked.action ?? t("Delete")}
      onClose={() => setAsked(null)}
      onConfirm={async () => {
        await asked.send();
        onDone?.();
      }}
    />
  );
  return { confirm: setAsked, confirmation: dialog };
}

/** Keeps the search of a list in the address of the page, so that a link leads to the same entries. */
function useSearch() {
  const [search, setSearch] = useState(() => new URLSearchParams(location.search).get("q") ?? "");
  const change = (text: string) => {
    setSearch(text);
    const address = new URL(location.href);
    if (text.trim()) address.searchParams.set("q", text.trim());
    else address.searchParams.delete("q");
    history.replaceState(history.state, "", address);
  };
  return [search, change] as const;
}

interface ResourceListProps<Entry> {
  readonly resource: Resource<unknown> & { reload: () => void };
  readonly entries: readonly Entry[] | undefined;
  /** Prefix of the keys of what is loaded again after a confirmed action. */
  readonly name: string;
  /** Text of the button that opens `dialog` without an entry; nothing for users who may not. */
  readonly newText?: string | false | undefined;
  /** Actions of the page other than `newText`. @param open opens the dialog for a new entry */
  readonly create?: (open: () => void) => ComponentChildren;
  readonly empty: { readonly icon: IconName; readonly title: string; readonly text: string };
  /** Dialog for an entry; for a new one if it is null. */
  readonly dialog?: (entry: Entry | null, close: () => void) => ComponentChildren;
  /** Returns the text of an entry in which a search looks. Without it, the list has no search. */
  readonly textOf?: (entry: Entry) => string;
  readonly keyOf?: (entry: Entry) => string;
  readonly columns?: (actions: EntryActions<Entry>) => readonly Column<Entry>[];
  /** Card of an entry, which has a key. */
  readonly card?: (entry: Entry, actions: EntryActions<Entry>) => ComponentChildren;
  /** Part below the entries, which counts as one. */
  readonly children?: ComponentChildren;
}

/** Returns the list of entries, and the buttons that create one, which are in the list while it is empty. */
function useResourceList<Entry extends object>({
  resource,
  entries,
  name,
  newText,
  create,
  empty,
  dialog,
  textOf,
  keyOf = (entry) => String((entry as { readonly id?: unknown }).id),
  columns,
  card,
  children,
}: ResourceListProps<Entry>) {
  const [shown, setShown] = useState<{ readonly entry: Entry | null } | null>(null);
  const [search, setSearch] = useSearch();
  const { confirm, confirmation } = useConfirmation(() => invalidate(name));
  const open = () => setShown({ entry: null });
  const all = entries ?? [];
  const words = search.toLowerCase().split(/\s+/);
  const found =
    textOf && search.trim()
      ? all.filter((entry) => words.every((word) => textOf(entry).toLowerCase().includes(word)))
      : all;
  const actions = { edit: (entry: Entry) => setShown({ entry }), confirm };
  const count = all.length + (children ? 1 : 0);
  const button = create
    ? create(open)
    : newText && (
        <Button kind="primary" icon="plus" onClick={open}>
          {newText}
        </Button>
      );
  const content = (
    <>
      <ResourceStatus resource={resource} />
      {resource.value !== null && count === 0 && (
        <Empty icon={empty.icon} title={empty.title} action={button}>
          {empty.text}
        </Empty>
      )}
      {textOf && (all.length >= MIN_SEARCHED || search) && (
        <TextField label={t("Filter")} type="search" value={search} onValue={setSearch} />
      )}
      {all.length > 0 && found.length === 0 && <p class="muted">{t("Nothing matches.")}</p>}
      {columns && <DataTable rows={found} keyOf={keyOf} columns={columns(actions)} />}
      {(card || children) && (
        <div class="cards">
          {card && found.map((entry) => card(entry, actions))}
          {children}
        </div>
      )}
      {"more" in resource && <MoreButton list={resource as PagedList<Entry>} />}
      {count > 0 && count <= MAX_FEW && (
        <p class="list-note">
          <Icon name={empty.icon} />
          {empty.text}
        </p>
      )}
      {shown && dialog?.(shown.entry, () => setShown(null))}
      {confirmation}
    </>
  );
  return { button: count > 0 && button, content };
}

/**
 * Page with a list: its placeholder while it loads, its error, its search, and an explanation if it has no or few entries. Entries
 * are rows of a table or cards.
 */
export function ResourcePage<Entry extends object>({
  title,
  intro,
  ...list
}: ResourceListProps<Entry> & { readonly title: string; readonly intro: string }) {
  const { button, content } = useResourceList(list);
  return (
    <PageLayout title={title} intro={intro} actions={button || undefined}>
      {content}
    </PageLayout>
  );
}

/** Part of a page with a list, as `ResourcePage` has one. */
export function ResourceSection<Entry extends object>({
  label,
  ...list
}: ResourceListProps<Entry> & { readonly label: string }) {
  const { button, content } = useResourceList(list);
  return (
    <section class="stack" aria-label={label}>
      {button && <div class="row wrap">{button}</div>}
      {content}
    </section>
  );
}
