import type { ComponentChildren } from "preact";
import { isProblem } from "../../../../shared/client/index.ts";
import type { Resource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { Button } from "./buttons.tsx";
import { Icon, type IconName } from "./icons.tsx";

/** Badge with a status in one word. */
export function Badge({
  kind = "",
  title,
  children,
}: {
  readonly kind?: "accent" | "success" | "warning" | "danger" | "";
  /** Tooltip, such as the code that the words stand for. */
  readonly title?: string;
  readonly children: ComponentChildren;
}) {
  return (
    <span class={`badge ${kind}`} title={title}>
      {children}
    </span>
  );
}

/** Number of entries that wait for the user, after the name of where they are. Renders nothing for null. */
export function CountBadge({ count }: { readonly count: string | null }) {
  return (
    count !== null && (
      <span class="count">
        {count}
        <span class="visually-hidden"> {t("open")}</span>
      </span>
    )
  );
}

/** Explanation in place of a list without entries. */
export function Empty({
  icon,
  title,
  isPage = false,
  children,
  action,
}: {
  readonly icon: IconName;
  readonly title: string;
  /** True if the page shows only the explanation. Its title is then the heading of the page. */
  readonly isPage?: boolean;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <span class="glyph">
        <Icon name={icon} />
      </span>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** View of an address that does not exist. */
export function NotFound() {
  return (
    <main class="page">
      <Empty isPage icon="warning" title={t("This page does not exist")}>
        <a href="/console/chat?list">{t("Go to your conversations")}</a>
      </Empty>
    </main>
  );
}

/** View of a section that the roles of the user do not include. */
export function NotAllowed() {
  return (
    <main class="page">
      <Empty isPage icon="shield" title={t("Your roles do not include this section")}>
        {t("Ask an administrator of your organization.")}
      </Empty>
    </main>
  );
}

/** Placeholder lines while data loads. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="stack" role="status" aria-label={t("Loading")}>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="skeleton" style={{ width: `${90 - ((index * 23) % 45)}%` }} />
      ))}
    </div>
  );
}

/** Error message of a view, with a button to try again unless what it shows does not exist. */
export function FailureMessage({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  if (isProblem(error, "not_found")) {
    return (
      <Empty icon="warning" title={t("This does not exist")}>
        {t("It was deleted, or it is not shared with you.")}
      </Empty>
    );
  }
  return (
    <div class="notice danger" role="alert">
      <Icon name="warning" />
      <span class="grow">{describeError(error)}</span>
      <Button isSmall onClick={onRetry}>
        {t("Try again")}
      </Button>
    </div>
  );
}

/** Placeholder while a resource loads for the first time, or why it could not be loaded; nothing once it is there. */
export function ResourceStatus({
  resource,
  lines,
}: {
  readonly resource: Resource<unknown> & { reload: () => void };
  readonly lines?: number;
}) {
  if (resource.value !== null) return null;
  if (resource.error === null) return <Skeleton lines={lines} />;
  return <FailureMessage error={resource.error} onRetry={resource.reload} />;
}
