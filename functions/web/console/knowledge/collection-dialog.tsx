import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button, Dialog, SelectField, TextField } from "../ui/controls.tsx";

/** Collection of documents. */
export type Collection = ReplyOf<"/v1/knowledge/collections/{id}", "get">;

/** Form for a new collection, or the settings of one. */
export function CollectionDialog({
  collection,
  onClose,
  onSaved,
}: {
  readonly collection: Collection | null;
  readonly onClose: () => void;
  readonly onSaved?: (id: string) => void;
}) {
  const [name, setName] = useState(collection?.name ?? "");
  const [description, setDescription] = useState(collection?.description ?? "");
  const [visibility, setVisibility] = useState<"private" | "tenant">(collection?.visibility ?? "tenant");
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    const body = { name, description, visibility };
    try {
      const saved = collection
        ? await api.PATCH("/v1/knowledge/collections/{id}", { params: { path: { id: collection.id } }, body })
        : await api.POST("/v1/knowledge/collections", { body });
      invalidate("collection");
      onClose();
      onSaved?.(saved.id);
    } catch (failure) {
      setError(describeError(failure));
    }
  };
  return (
    <Dialog title={collection ? t("Settings of the collection") : t("New collection")} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label={t("Name")}
          value={name}
          onValue={setName}
          maxLength={100}
          error={error}
          placeholder={t("Employee handbook")}
          required
          autoFocus
        />
        <TextField label={t("Description")} value={description} onValue={setDescription} rows={2} maxLength={2000} />
        <SelectField
          label={t("Who can search it")}
          value={visibility}
          onValue={setVisibility}
          options={[
            ["tenant", t("Everyone in the organization")],
            ["private", t("Only me")],
          ]}
        />
        <div class="actions">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" type="submit" disabled={!name.trim()}>
            {collection ? t("Save") : t("Create")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
