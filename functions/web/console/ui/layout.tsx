import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import type { Destination } from "../navigation.ts";
import { Icon } from "./icons.tsx";

/** Sets the title of the browser tab while a view is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Switchboard` : "Switchboard";
  }, [title]);
}

/** Scrolling page with a title, a sentence about its purpose and its main actions. */
export function Page({
  title,
  intro,
  actions,
  back,
  children,
}: {
  readonly title: string;
  readonly intro?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** Page above this one. On phones, every page of a section has one. */
  readonly back?: { readonly path: string; readonly label: string; readonly isNarrowOnly?: boolean };
  readonly children: ComponentChildren;
}) {
  useTitle(title);
  return (
    <main class="page" tabIndex={-1}>
      <div class="page-inner">
        <div>
          {back && (
            <a class={`back ${back.isNarrowOnly ? "only-narrow" : ""}`} href={back.path}>
              <Icon name="back" />
              {back.label}
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

/** List of a view's sections. */
export function SectionPanel({
  title,
  sections,
  current,
}: {
  readonly title: string;
  readonly sections: readonly Destination[];
  readonly current: string;
}) {
  return (
    <div class="panel">
      <header>
        <h2>{title}</h2>
      </header>
      <nav class="scroll" aria-label={t("Sections of {view}", { view: title })}>
        {sections.map(({ path, label, icon }) => (
          <a key={path} class="item" href={path} aria-current={path === current ? "page" : undefined}>
            <Icon name={icon} />
            {label}
          </a>
        ))}
      </nav>
    </div>
  );
}
