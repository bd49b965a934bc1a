import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import type { Draft } from "../lib/schema-fields.ts";
import { showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "./buttons.tsx";
import { Dialog } from "./dialog.tsx";
import { EditDialog, Form, FormActions } from "./form.tsx";
import { type FormEntries, type PathOf, useFields } from "./form-fields.tsx";

/** Returns the input of a field. */
type GetDraft<Body> = (name: PathOf<Body> | `$${string}`) => Draft;

/** Collection of entries in the API, and the id of one of them; null for a new one. */
interface Entity {
  readonly path: keyof ApiPaths;
  readonly id: string | null | undefined;
}

/** The paths of all collections have the same form, so one of them stands for their types. */
const itemPath = ({ path }: Entity) => `${path}/{id}` as "/v1/notes/{id}";

const saveEntity = (entity: Entity, body: object): Promise<unknown> =>
  entity.id
    ? api.PATCH(itemPath(entity), { params: { path: { id: entity.id } }, body })
    : api.POST(entity.path as "/v1/notes", { body: body as { title: string } });

/** Schema, values and fields of a form, and what happens to its values. */
interface FormProps<Body, Reply> {
  /** Schema of the request body, from `bodySchema`. */
  readonly schema?: BodySchema<Body>;
  /** Values that the form begins with. */
  readonly value?: object | null | undefined;
  readonly fields: FormEntries<PathOf<Body>>;
  readonly hasFocus?: boolean;
  /** Sends the request body. @param get returns the input of a field */
  readonly onSave?: (body: Body, get: GetDraft<Body>) => Promise<Reply>;
  /** Entry that is created or changed with the request body, instead of `onSave`. */
  readonly entity?: Entity;
  /** Prefix of the keys of what is loaded again after a change. */
  readonly resource?: string;
  /** Message after the values were saved. */
  readonly savedText?: string | undefined;
}

/** Form in a page. After it was sent, its fields show the stored values again. */
export function FieldForm<Body, Reply>({
  action = t("Save"),
  onSave,
  resource,
  savedText = t("Saved."),
  children,
  ...props
}: FormProps<Body, Reply> & { readonly action?: string; readonly children?: ComponentChildren }) {
  const { view, get, read, reset } = useFields(props);
  return (
    <Form
      isUnchecked
      onSubmit={async () => {
        await onSave?.(read(), get);
        if (resource) invalidate(resource);
        if (savedText) showToast(savedText);
        reset();
      }}
    >
      {view}
      <FormActions>
        {children}
        <Button kind="primary" type="submit">
          {action}
        </Button>
      </FormActions>
    </Form>
  );
}

interface FormDialogProps<Body, Reply> extends FormProps<Body, Reply> {
  readonly title: string;
  /** Text of the button that saves. */
  readonly action?: string | ((get: GetDraft<Body>) => string);
  readonly isWide?: boolean;
  readonly isDangerous?: boolean;
  readonly isReadOnly?: boolean;
  readonly canSave?: boolean | ((get: GetDraft<Body>) => boolean);
  readonly actions?: ComponentChildren;
  /** Part below the form. */
  readonly below?: ComponentChildren;
  /** Confirmation that is asked for before the entity is deleted. By default, its title names that of the dialog. */
  readonly deletion?: { readonly title?: string; readonly text: string };
  /** Returns what the dialog shows when the entry was saved, such as a secret; null to close it. */
  readonly renderResult?: (
    reply: Reply,
    get: GetDraft<Body>,
  ) => { readonly title?: string; readonly content: ComponentChildren } | null;
  /** Part next to the form that depends on its values. */
  readonly aside?: (get: GetDraft<Body>) => ComponentChildren;
  /** Called when the dialog closes after the entry was saved. */
  readonly onSaved?: ((reply: Reply) => void) | undefined;
  readonly onClose: () => void;
  /** Text above the fields. */
  readonly children?: ComponentChildren;
}

/** Dialog with a form that creates or changes an entry, and optionally deletes it. */
export function FormDialog<Body, Reply>({
  schema,
  value,
  fields,
  onSave,
  entity,
  resource,
  savedText,
  deletion,
  renderResult,
  aside,
  onSaved,
  canSave = true,
  action,
  children,
  ...dialog
}: FormDialogProps<Body, Reply>) {
  const { view, get, read } = useFields({ ...(schema && { schema }), value, fields, hasFocus: true });
  const [saved, setSaved] = useState<{ readonly reply: Reply } | null>(null);
  const result = saved && renderResult?.(saved.reply, get);
  const { onClose } = dialog;
  const reload = () => resource && invalidate(resource);
  if (saved && result) {
    const close = () => (onSaved ? onSaved(saved.reply) : onClose());
    return (
      <Dialog title={result.title ?? dialog.title} onClose={close} isWide>
        {result.content}
        <div class="actions">
          <Button kind="primary" onClick={close}>
            {t("Done")}
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <EditDialog
      {...dialog}
      isUnchecked
      {...(action && { action: typeof action === "function" ? action(get) : action })}
      canSave={typeof canSave === "function" ? canSave(get) : canSave}
      aside={aside?.(get)}
      deletion={
        deletion && entity?.id
          ? {
              title: t("Delete {name}?", { name: dialog.title }),
              ...deletion,
              onConfirm: async () => {
                await api.DELETE(itemPath(entity), { params: { path: { id: entity.id ?? "" } } });
                reload();
              },
            }
          : null
      }
      onSave={async () => {
        const body = read();
        const reply = (await (entity && !onSave ? saveEntity(entity, body as object) : onSave?.(body, get))) as Reply;
        reload();
        if (savedText) showToast(savedText);
        if (renderResult?.(reply, get)) {
          setSaved({ reply });
          return false;
        }
        if (!onSaved) return true;
        onSaved(reply);
        return false;
      }}
    >
      {children}
      {view}
    </EditDialog>
  );
}
