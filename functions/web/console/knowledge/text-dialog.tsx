import { useState } from "preact/hooks";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { TextField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";

/** Form for a document that is typed or pasted. */
export function TextDialog({ collectionId, onClose }: { readonly collectionId: string; readonly onClose: () => void }) {
  const [title, setTitle] = useState("");
  const [text, setText] = useState("");
  const save = async () => {
    await api.POST("/v1/knowledge/collections/{id}/documents", {
      params: { path: { id: collectionId } },
      body: { title, text, media_type: "text/markdown" },
    });
    invalidate("collection");
  };
  return (
    <EditDialog
      title={t("Add text")}
      action={t("Add")}
      isWide
      canSave={title.trim() !== "" && text.trim() !== ""}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={t("Title")} name="title" value={title} onValue={setTitle} maxLength={300} required autoFocus />
      <TextField
        label={t("Text")}
        name="text"
        hint={t("Markdown headings become the structure that sources name.")}
        value={text}
        onValue={setText}
        rows={12}
        required
      />
    </EditDialog>
  );
}
