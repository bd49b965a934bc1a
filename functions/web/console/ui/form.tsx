import type { ComponentChildren } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { describeError, describeFieldError } from "../lib/toast.ts";
import { Button } from "./buttons.tsx";
import { ConfirmDialog, Dialog } from "./dialog.tsx";
import { FormContext, isWithin, type Refusal, refusedFields } from "./form-state.ts";

/**
 * Form that sends its values to the service. Refused values are reported at the fields whose `name` is their path, and the first
 * of these fields gets the focus; `FormError` shows all other errors. Its submit button is disabled while the values are sent.
 */
export function Form({
  onSubmit,
  class: className = "stack",
  isUnchecked = false,
  children,
}: {
  /** Sends the values. Rejects with a problem if the service refuses them. */
  readonly onSubmit: () => Promise<void>;
  readonly class?: string;
  /** True if `onSubmit` checks the values instead of the browser. */
  readonly isUnchecked?: boolean;
  readonly children: ComponentChildren;
}) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isPending, setPending] = useState(false);
  // A second click can precede the render that disables the button.
  const isSending = useRef(false);
  const names = useRef(new Set<string>());
  const state = useMemo(() => ({ refusal, isPending, names: names.current }), [refusal, isPending]);
  const form = useRef<HTMLFormElement>(null);
  // Fields render their errors after this component, so a layout effect would not find them.
  useEffect(() => {
    if (refusal === null) return;
    const target = form.current?.querySelector<HTMLElement>("[aria-invalid=true]:not(:disabled), .form-error");
    target?.focus();
    (target?.closest(".field") ?? target)?.scrollIntoView({ block: "nearest" });
  }, [refusal]);
  return (
    <form
      class={className}
      ref={form}
      noValidate={isUnchecked}
      onSubmit={async (event) => {
        event.preventDefault();
        if (isSending.current) return;
        isSending.current = true;
        setPending(true);
        try {
          await onSubmit();
          setRefusal(null);
        } catch (failure) {
          setRefusal({ failure, fields: refusedFields(failure) });
        } finally {
          isSending.current = false;
          setPending(false);
        }
      }}
    >
      <FormContext.Provider value={state}>{children}</FormContext.Provider>
    </form>
  );
}

/**
 * Error of the closest form that belongs to none of its fields.
 * @param describe returns the sentence for an error without refused values
 */
export function FormError({ describe = describeError }: { readonly describe?: (error: unknown) => string }) {
  const form = useContext(FormContext);
  if (form?.refusal == null) return null;
  const { failure, fields } = form.refusal;
  const names = [...form.names];
  const others = [...fields].filter(([path]) => !names.some((name) => isWithin(path, name)));
  if (fields.size > 0 && others.length === 0) return null;
  const text =
    fields.size === 0
      ? describe(failure)
      : others.map(([path, message]) => `${path.replaceAll(/[._]/g, " ")}: ${describeFieldError(message)}`).join(" ");
  return (
    <p class="notice danger form-error" role="alert" tabIndex={-1}>
      {text}
    </p>
  );
}

/** Buttons at the end of a form, below its error. */
export function FormActions({ children }: { readonly children: ComponentChildren }) {
  return (
    <>
      <FormError />
      <div class="actions">{children}</div>
    </>
  );
}

interface EditDialogProps {
  readonly title: string;
  /** Text of the button that saves. */
  readonly action?: string;
  readonly isWide?: boolean;
  /** True if saving cannot be undone. */
  readonly isDangerous?: boolean;
  /** True if `onSave` checks the values instead of the browser. */
  readonly isUnchecked?: boolean;
  readonly isReadOnly?: boolean;
  /** If false, the button that saves is disabled. */
  readonly canSave?: boolean;
  /** Confirmation that is asked for before the entry is deleted, and the function that deletes it. */
  readonly deletion?: { readonly title: string; readonly text: string; readonly onConfirm: () => Promise<void> } | null;
  /** Further buttons. */
  readonly actions?: ComponentChildren;
  /** Part next to the form. */
  readonly aside?: ComponentChildren;
  /** Part below the form. */
  readonly below?: ComponentChildren;
  /** Saves the entry, after which the dialog closes unless the result is false. */
  readonly onSave: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Dialog with a form that creates or changes an entry, and optionally deletes it. */
export function EditDialog({
  title,
  action = t("Save"),
  isWide = false,
  isReadOnly = false,
  isDangerous = false,
  isUnchecked = false,
  canSave = true,
  deletion,
  actions,
  aside,
  below,
  onSave,
  onClose,
  children,
}: EditDialogProps) {
  const [isDeleting, setDeleting] = useState(false);
  const form = (
    <Form
      isUnchecked={isUnchecked}
      onSubmit={async () => {
        if ((await onSave()) !== false) onClose();
      }}
    >
      <fieldset class="stack" disabled={isReadOnly}>
        {children}
      </fieldset>
      {!isReadOnly && (
        <FormActions>
          {deletion && (
            <Button kind="danger-outline" onClick={() => setDeleting(true)}>
              {t("Delete")}
            </Button>
          )}
          {actions}
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind={isDangerous ? "danger" : "primary"} type="submit" disabled={!canSave}>
            {action}
          </Button>
        </FormActions>
      )}
    </Form>
  );
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      {aside ? (
        <div class="columns">
          {form}
          {aside}
        </div>
      ) : (
        form
      )}
      {below}
      {isDeleting && deletion && (
        <ConfirmDialog
          {...deletion}
          action={t("Delete")}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await deletion.onConfirm();
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}
