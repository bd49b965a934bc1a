import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { showError } from "../lib/toast.ts";
import { Button, IconButton } from "./buttons.tsx";

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
