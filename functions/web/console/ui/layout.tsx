import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../lib/i18n.ts";
import { findAreaOf, type NavigationEntry } from "../navigation.ts";
import { Icon } from "./icons.tsx";
import { CountBadge } from "./status.tsx";

/** Sets the title of the browser tab while a view is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Switchboard` : "Switchboard";
  }, [title]);
}

/** Scrolling page with a title, a sentence about its purpose and its main actions. */
export function PageLayout({
  title,
  intro,
  actions,
  back,
  children,
}: {
  readonly title: string;
  readonly intro?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Parent page, for the link back. On phones, the page of a section has a link to its area. */
  readonly back?: { readonly path: string; readonly label: string; readonly isNarrowOnly?: boolean };
  readonly children: ComponentChildren;
}) {
  useTitle(title);
  const { path } = useLocation();
  const area = findAreaOf(path);
  const parent = back ?? (area && { path: area.path, label: area.label, isNarrowOnly: true });
  return (
    <main class="page" tabIndex={-1}>
      <div class="page-inner">
        <div>
          {parent && (
            <a class={`back ${parent.isNarrowOnly ? "only-narrow" : ""}`} href={parent.path}>
              <Icon name="back" />
              {parent.label}
            </a>
          )}
          <div class="page-head">
            <div>
              <h1>{title}</h1>
              {intro && <p>{intro}</p>}
            </div>
            {actions && <div class="row wrap">{actions}</div>}
          </div>
        </div>
        {children}
      </div>
    </main>
  );
}

/** True on screens that show either the list of a view or its selected entry. */
const isNarrow = signal(false);

/** Width from which list and entry are shown next to each other; `styles/shell.css` has the same. */
const narrowScreen = matchMedia("(max-width: 760px)");
isNarrow.value = narrowScreen.matches;
narrowScreen.addEventListener("change", () => {
  isNarrow.value = narrowScreen.matches;
});

/** List of a view. On a screen that shows the list alone, it is the main content of the page. */
export function Panel({
  title,
  actions,
  isOnly,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  /** True if no entry is selected. On phones, the list is then the main content of the page. */
  readonly isOnly: boolean;
  readonly children: ComponentChildren;
}) {
  const isMain = isOnly && isNarrow.value;
  const content = (
    <>
      <div class="panel-head">
        {isMain ? <h1>{title}</h1> : <h2>{title}</h2>}
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </>
  );
  return isMain ? (
    <main class="panel">{content}</main>
  ) : (
    <section class="panel" aria-label={title}>
      {content}
    </section>
  );
}

/** List of a view's sections. */
export function SectionPanel({
  title,
  sections,
  countOf,
  current,
  isOnly,
}: {
  readonly title: string;
  readonly sections: readonly NavigationEntry[];
  /** Returns the number on the badge of the section with a path; null if it has none. */
  readonly countOf: (path: string) => string | null;
  readonly current: string;
  /** True if no section is selected. On phones, the list is then the main content of the page. */
  readonly isOnly: boolean;
}) {
  return (
    <Panel title={title} isOnly={isOnly}>
      <nav class="scroll" aria-label={t("Sections of {view}", { view: title })}>
        {sections.map(({ path, label, icon }) => (
          <a key={path} class="item" href={path} aria-current={path === current ? "page" : undefined}>
            <Icon name={icon} />
            <span class="grow">{label}</span>
            <CountBadge count={countOf(path)} />
          </a>
        ))}
      </nav>
    </Panel>
  );
}
