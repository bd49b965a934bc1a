import { useState } from "preact/hooks";
import { isProblem, type ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate, useResource } from "../../lib/data.ts";
import { formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/fields.tsx";
import { EditDialog } from "../../ui/form.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import { Markdown } from "../markdown.tsx";

type Folder = ReplyOf<"/v1/folders", "get">["folders"][number];

export function FolderDialog({ folder, onClose }: { readonly folder: Folder | null; readonly onClose: () => void }) {
  return (
    <NameDialog
      title={folder ? t("Rename the folder") : t("New folder")}
      label={t("Name")}
      field="name"
      value={folder?.name ?? ""}
      maxLength={100}
      onClose={onClose}
      onSave={async (name) => {
        if (folder) await api.PATCH("/v1/folders/{id}", { params: { path: { id: folder.id } }, body: { name } });
        else await api.POST("/v1/folders", { body: { name } });
        invalidate("folders");
      }}
    />
  );
}

/** Dialog to change the name of a folder or the title of a conversation. */
export function NameDialog({
  field,
  value,
  onSave,
  title,
  onClose,
  ...props
}: {
  readonly title: string;
  readonly label: string;
  /** Name of the field in the request, under which the service reports an invalid value. */
  readonly field: string;
  readonly value: string;
  readonly maxLength: number;
  readonly onSave: (value: string) => Promise<void>;
  readonly onClose: () => void;
}) {
  const [text, setText] = useState(value);
  return (
    <EditDialog title={title} onSave={() => onSave(text)} onClose={onClose}>
      <TextField {...props} name={field} value={text} onValue={setText} required autoFocus />
    </EditDialog>
  );
}

export function SummaryDialog({
  conversationId: id,
  onClose,
}: {
  readonly conversationId: string;
  readonly onClose: () => void;
}) {
  const summary = useResource(`summary:${id}`, () =>
    api.GET("/v1/conversations/{id}/summary", { params: { path: { id } } }),
  );
  return (
    <Dialog title={t("Summary")} onClose={onClose}>
      {summary.value ? (
        <div class="stack">
          <p class="muted small">
            {t("Summary of the messages that no longer fit into the memory of the model, made on {date}.", {
              date: formatDateTime(summary.value.created_at),
            })}
          </p>
          <div class="prose">
            <Markdown text={summary.value.text} />
          </div>
        </div>
      ) : isProblem(summary.error, "not_found") ? (
        <p>{t("The whole conversation fits into the memory of the model. It is summarized when it becomes longer.")}</p>
      ) : (
        <ResourceStatus resource={summary} lines={4} />
      )}
    </Dialog>
  );
}

export function MoveDialog({
  current,
  folders,
  onClose,
  onSave,
}: {
  readonly current: string | null;
  readonly folders: readonly Folder[];
  readonly onClose: () => void;
  readonly onSave: (folderId: string | null) => Promise<void>;
}) {
  const [folder, setFolder] = useState(current ?? "");
  return (
    <EditDialog
      title={t("Move to a folder")}
      action={t("Move")}
      canSave={folders.length > 0}
      onSave={() => onSave(folder || null)}
      onClose={onClose}
    >
      {folders.length === 0 ? (
        <p class="muted">{t("There is no folder yet. Create one with the button above the list.")}</p>
      ) : (
        <SelectField
          label={t("Folder")}
          name="folder_id"
          value={folder}
          onValue={setFolder}
          options={[["", t("No folder")], ...folders.map(({ id, name }) => [id, name] as const)]}
        />
      )}
    </EditDialog>
  );
}
