import type { Collection } from "../../../../shared/api/knowledge/collections.ts";
import { ALL_READERS } from "../../../../shared/api/knowledge/reader-names.ts";
import { t } from "../lib/i18n.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { type ReaderList, ReadersField } from "./readers.tsx";

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
  return (
    <FormDialog
      title={collection ? t("Settings of the collection") : t("New collection")}
      action={collection ? t("Save") : t("Create")}
      schema={bodySchema("/v1/knowledge/collections", "post")}
      value={collection ?? { readers: [ALL_READERS] }}
      fields={[
        { name: "name", label: t("Name"), placeholder: t("Employee handbook") },
        { name: "description", label: t("Description"), rows: 2 },
        {
          name: "instructions",
          label: t("How answers use it"),
          rows: 2,
          placeholder: t("Quote, do not paraphrase."),
        },
        { name: "max_age_days", label: t("Days until a document is outdated") },
        {
          name: "readers",
          label: t("Who can search it"),
          render: ({ label, name, value, onValue }) => (
            <ReadersField label={label} name={name} value={value as ReaderList} onValue={onValue} />
          ),
        },
      ]}
      resource="collection"
      entity={{ path: "/v1/knowledge/collections", id: collection?.id }}
      onSaved={({ id }: Collection) => {
        onSaved?.(id);
        onClose();
      }}
      onClose={onClose}
    />
  );
}
