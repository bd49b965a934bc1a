import { useState } from "preact/hooks";
import type { Collection } from "../../../../shared/api/knowledge/collections.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { SelectField, TextField } from "../ui/fields.tsx";
import { EditDialog } from "../ui/form.tsx";

/** Form for a new collection, or for the settings of an existing one. */
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
  const save = async () => {
    const body = { name, description, visibility };
    const saved = collection
      ? await api.PATCH("/v1/knowledge/collections/{id}", { params: { path: { id: collection.id } }, body })
      : await api.POST("/v1/knowledge/collections", { body });
    invalidate("collection");
    onSaved?.(saved.id);
  };
  return (
    <EditDialog
      title={collection ? t("Settings of the collection") : t("New collection")}
      action={collection ? t("Save") : t("Create")}
      canSave={name.trim() !== ""}
      onSave={save}
      onClose={onClose}
    >
      <TextField
        label={t("Name")}
        name="name"
        value={name}
        onValue={setName}
        maxLength={100}
        placeholder={t("Employee handbook")}
        required
        autoFocus
      />
      <TextField
        label={t("Description")}
        name="description"
        value={description}
        onValue={setDescription}
        rows={2}
        maxLength={2000}
      />
      <SelectField
        label={t("Who can search it")}
        name="visibility"
        value={visibility}
        onValue={setVisibility}
        options={[
          ["tenant", t("Everyone in the organization")],
          ["private", t("Only me")],
        ]}
      />
    </EditDialog>
  );
}
