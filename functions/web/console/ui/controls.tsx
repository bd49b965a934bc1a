import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { isProblem } from "../../../../shared/client/index.ts";
import type { Resource } from "../lib/data.ts";
import type { CodeToken } from "../lib/highlight.ts";
import { t } from "../lib/i18n.ts";
import { describeError, showError } from "../lib/toast.ts";
import { FormContext, useFieldError } from "./form-state.ts";
import { Icon, type IconName } from "./icons.tsx";

type ButtonProps = Omit<JSX.IntrinsicElements["button"], "icon" | "label"> & {
  readonly icon?: IconName;
  /** `danger` confirms what cannot be undone; `danger-outline` leads to its confirmation. */
  readonly kind?: "primary" | "danger" | "danger-outline" | "quiet" | "";
  readonly isSmall?: boolean;
};

/** Button with a text. The submit button of a form is disabled while the form sends its values. */
export function Button({ icon, kind = "", isSmall = false, disabled, children, ...props }: ButtonProps) {
  const form = useContext(FormContext);
  const isBusy = props.type === "submit" && form?.isPending === true;
  return (
    <button type="button" {...props} disabled={disabled || isBusy} class={`button ${kind} ${isSmall ? "small" : ""}`}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** Button with an icon only. Its label is its name and tooltip. */
export function IconButton({
  icon,
  label,
  ...props
}: Omit<JSX.IntrinsicElements["button"], "icon" | "label"> & { readonly icon: IconName; readonly label: string }) {
  return (
    <button type="button" class="icon-button" {...props} aria-label={label} title={label}>
      <Icon name={icon} />
    </button>
  );
}

/** Properties that connect a control to its label, hint and error. */
export interface ControlProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: "true";
}

/** Label, hint and error of a form control. */
export function Field({
  label,
  name,
  hint,
  error: ownError,
  children,
}: {
  readonly label: string;
  /** Path of the value in the request, under which the service reports its error. */
  readonly name?: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly children: (props: ControlProps) => ComponentChildren;
}) {
  const id = useId();
  const error = useFieldError(name) ?? ownError;
  const note = error || hint ? `${id}-note` : undefined;
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({ id, ...(note && { "aria-describedby": note }), ...(error && { "aria-invalid": "true" as const }) })}
      {note && (
        <span class={error ? "error" : "hint"} id={note}>
          {error || hint}
        </span>
      )}
    </div>
  );
}

export function TextField({
  label,
  name,
  hint,
  error,
  value,
  onValue,
  rows,
  ...props
}: {
  readonly label: string;
  readonly name?: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Number of lines; a field with one line if omitted. */
  readonly rows?: number | undefined;
  readonly type?: string;
  /** Keyboard that a phone shows. */
  readonly inputMode?: "numeric" | "decimal" | undefined;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Id of a list of suggestions. */
  readonly list?: string;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly onKeyDown?: (event: TargetedKeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}) {
  const onInput = (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onValue(event.currentTarget.value);
  return (
    <Field label={label} name={name} hint={hint} error={error ?? null}>
      {(control) =>
        rows === undefined ? (
          <input class="input" dir="auto" {...(props as object)} {...control} value={value} onInput={onInput} />
        ) : (
          <textarea
            class="input"
            dir="auto"
            rows={rows}
            {...(props as object)}
            {...control}
            value={value}
            onInput={onInput}
          />
        )
      }
    </Field>
  );
}

export function SelectField<Value extends string>({
  label,
  name,
  hint,
  value,
  options,
  onValue,
  disabled,
}: {
  readonly label: string;
  readonly name?: string;
  readonly hint?: ComponentChildren;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly onValue: (value: Value) => void;
  readonly disabled?: boolean;
}) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(control) => (
        <select
          class="input"
          {...control}
          disabled={disabled}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value as Value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onValue,
  disabled,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onValue: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <span class="muted"> {hint}</span>}
      </span>
    </label>
  );
}

/** Copies a text to the clipboard. Returns false where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function CopyButton({ text, label = t("Copy") }: { readonly text: string; readonly label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1_800);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <IconButton
      icon={isCopied ? "check" : "copy"}
      label={isCopied ? t("Copied") : label}
      onClick={async () => setCopied(await copyText(text))}
    />
  );
}

/** Time for which code must not change before it is colored, in ms: it grows while an answer is written. */
const HIGHLIGHT_DELAY_MS = 150;

/** Returns the tokens of code once they are known; null for code without a known language. */
function useHighlight(code: string, language: string | null): readonly CodeToken[] | null {
  const [highlighted, setHighlighted] = useState<{ code: string; tokens: readonly CodeToken[] | null } | null>(null);
  useEffect(() => {
    if (!language) return;
    const timer = setTimeout(() => {
      import("../lib/highlight.ts").then(
        ({ highlight }) => setHighlighted({ code, tokens: highlight(code, language) }),
        // The code is shown without colors.
        () => {},
      );
    }, HIGHLIGHT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [code, language]);
  return highlighted?.code === code ? highlighted.tokens : null;
}

/** Number of lines above which code is folded. */
const MAX_FOLDED_LINES = 24;

/** Code with a title and buttons to copy it and to wrap its lines. Long code is folded. */
export function CodeSnippet({
  title,
  code,
  language = null,
}: {
  readonly title: string;
  readonly code: string;
  /** Language whose syntax is colored. */
  readonly language?: string | null;
}) {
  const tokens = useHighlight(code, language);
  const [isWrapped, setWrapped] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const lineCount = code.split("\n").length;
  const isFolded = lineCount > MAX_FOLDED_LINES && !isOpen;
  return (
    <div class={`code ${isFolded ? "folded" : ""}`} dir="ltr">
      <div class="code-head">
        <span>{title}</span>
        <span class="row">
          <IconButton
            icon="wrap"
            label={t("Wrap long lines")}
            aria-pressed={isWrapped}
            onClick={() => setWrapped(!isWrapped)}
          />
          <CopyButton text={code} label={t("Copy code")} />
        </span>
      </div>
      {/* Focusable, so that long lines can be scrolled with the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <pre tabIndex={0} class={isWrapped ? "wrap" : ""}>
        <code>
          {tokens?.map(([text, kind], index) =>
            kind ? (
              <span key={index} class={`tok-${kind}`}>
                {text}
              </span>
            ) : (
              text
            ),
          ) ?? code}
        </code>
      </pre>
      {lineCount > MAX_FOLDED_LINES && (
        <Button isSmall kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("Show less") : t("Show all {count} lines", { count: lineCount })}
        </Button>
      )}
    </div>
  );
}

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
        <a href="/console/chat">{t("Go to your conversations")}</a>
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

/** Modal dialog. Closes with Escape, the button or a click outside. */
export function Dialog({
  title,
  onClose,
  isWide = false,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a modal dialog natively
    <dialog
      ref={ref}
      class={isWide ? "wide" : ""}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label={t("Close")} onClick={onClose} />
      </header>
      <div class="body">{children}</div>
    </dialog>
  );
}

/** Dialog that asks before an action that cannot be undone. It closes after the action and shows its error. */
export function ConfirmDialog({
  title,
  text,
  action,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="actions">
        <Button onClick={onClose}>{t("Cancel")}</Button>
        <Button
          kind="danger"
          disabled={isBusy}
          onClick={async () => {
            setBusy(true);
            await onConfirm().catch(showError);
            setBusy(false);
            onClose();
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  );
}

/** Entry of a menu; null draws a line. */
export type MenuEntry = {
  readonly label: string;
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
  const hasSearch = entries.length > MAX_UNSEARCHED_ENTRIES;
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
                  <span class="grow truncate">{entry.label}</span>
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
