import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { Icon, type IconName } from "./icons.tsx";

/** Entry of a menu; null draws a line. */
export type MenuEntry = {
  readonly label: string;
  /** Explanation below the label. */
  readonly hint?: string;
  readonly icon?: IconName;
  readonly isDanger?: boolean;
  readonly isChecked?: boolean;
  readonly onSelect: () => void;
} | null;

/** Number of entries above which a menu has a field to search in them. */
const MAX_UNSEARCHED_ENTRIES = 12;

/** Height of a menu in pixels, unless the window has less space. */
const MENU_HEIGHT = 380;

/** Returns on which side of its button a menu has enough space, or more than on the other. */
function findPlace({ top, bottom }: DOMRect, prefersUp: boolean): { isUp: boolean; maxHeight: number } {
  const [above, below] = [top - 12, innerHeight - bottom - 12];
  const isUp = prefersUp ? above >= Math.min(MENU_HEIGHT, below) : below < Math.min(MENU_HEIGHT, above);
  return { isUp, maxHeight: Math.min(MENU_HEIGHT, isUp ? above : below) };
}

/** Button with a list of actions. Arrow keys move between the entries. A long list can be searched. */
export function Menu({
  label,
  icon = "more",
  entries,
  className = "",
  trigger,
}: {
  readonly label: string;
  readonly icon?: IconName;
  readonly entries: readonly MenuEntry[];
  /** `up` opens above the button if there is space, `start` aligns with its start. */
  readonly className?: string;
  /** Content of the button instead of the icon. */
  readonly trigger?: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  const [query, setQuery] = useState("");
  const ref = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ isUp: false, maxHeight: 0 });
  const hasSearch = entries.filter(Boolean).length > MAX_UNSEARCHED_ENTRIES;
  const shown = query ? entries.filter((entry) => entry?.label.toLowerCase().includes(query.toLowerCase())) : entries;
  useEffect(() => {
    if (!isOpen) return;
    setQuery("");
    ref.current?.querySelector<HTMLElement>(hasSearch ? "input" : "[role^=menuitem]")?.focus();
    const close = (event: Event) => {
      if (!ref.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", close);
    return () => removeEventListener("pointerdown", close);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const items = [...(ref.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const index = items.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 };
    const isEdge = event.key === "Home" || event.key === "End";
    const next = isEdge && event.target instanceof HTMLInputElement ? undefined : moves[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items.at(next % items.length)?.focus();
    } else if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      items[0]?.click();
    } else if (event.key === "Escape" || event.key === "Tab") {
      if (event.key === "Escape") event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      ref.current?.querySelector("button")?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handler serves the menu's buttons
    <div class="menu" ref={ref} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={trigger ? "button quiet small" : "icon-button"}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={trigger ? undefined : label}
        title={label}
        onClick={({ currentTarget }) => {
          setPlace(findPlace(currentTarget.getBoundingClientRect(), className.includes("up")));
          setOpen(!isOpen);
        }}
      >
        {trigger ?? <Icon name={icon} />}
      </button>
      {isOpen && (
        <div class={`menu-popup ${className} ${place.isUp ? "up" : ""}`} style={{ maxHeight: `${place.maxHeight}px` }}>
          {hasSearch && (
            <input
              class="input compact"
              type="search"
              placeholder={t("Search")}
              aria-label={t("Search in {name}", { name: label })}
              value={query}
              onInput={({ currentTarget }) => setQuery(currentTarget.value)}
            />
          )}
          <div class="menu-list" role="menu" aria-label={label}>
            {shown.map((entry, index) =>
              entry === null ? (
                <hr key={index} />
              ) : (
                <button
                  key={`${index} ${entry.label}`}
                  type="button"
                  role={entry.isChecked === undefined ? "menuitem" : "menuitemradio"}
                  {...(entry.isChecked !== undefined && { "aria-checked": entry.isChecked })}
                  class={entry.isDanger ? "danger" : ""}
                  title={entry.label}
                  onClick={() => {
                    setOpen(false);
                    ref.current?.querySelector("button")?.focus();
                    entry.onSelect();
                  }}
                >
                  {entry.icon && <Icon name={entry.icon} />}
                  <span class="grow">
                    <span class="truncate">{entry.label}</span>
                    {entry.hint && <span class="hint">{entry.hint}</span>}
                  </span>
                  {entry.isChecked && <Icon name="check" />}
                </button>
              ),
            )}
          </div>
          {shown.length === 0 && <p class="muted small menu-empty">{t("Nothing matches.")}</p>}
        </div>
      )}
    </div>
  );
}
