import { useState } from "preact/hooks";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button, Dialog, TextField } from "../ui/controls.tsx";

/** Form for a document that is typed or pasted. */
export function TextDialog({ collectionId, onClose }: { readonly collectionId: string; readonly onClose: () => void }) {
  const [title, setTitle] = useState("");
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  return (
    <Dialog title={t("Add text")} onClose={onClose} isWide>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          try {
            await api.POST("/v1/knowledge/collections/{id}/documents", {
              params: { path: { id: collectionId } },
              body: { title, text, media_type: "text/markdown" },
            });
            invalidate("collection");
            onClose();
          } catch (failure) {
            setError(describeError(failure));
          }
        }}
      >
        <TextField label={t("Title")} value={title} onValue={setTitle} maxLength={300} required autoFocus />
        <TextField
          label={t("Text")}
          hint={t("Markdown headings become the structure that sources name.")}
          value={text}
          onValue={setText}
          rows={12}
          error={error}
          required
        />
        <div class="actions">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" type="submit" disabled={!title.trim() || !text.trim()}>
            {t("Add")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
