import { t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { type ReaderList, ReadersField } from "./readers.tsx";

/** Form for a document that is typed or pasted. */
export function TextDialog({
  collectionId,
  readers,
  onClose,
}: {
  readonly collectionId: string;
  readonly readers: ReaderList;
  readonly onClose: () => void;
}) {
  const params = { path: { id: collectionId } };
  return (
    <FormDialog
      title={t("Add text")}
      action={t("Add")}
      isWide
      schema={bodySchema("/v1/knowledge/collections/{id}/documents", "post")}
      value={{ readers }}
      fields={[
        { name: "title", label: t("Title"), isRequired: true },
        {
          name: "text",
          label: t("Text"),
          hint: t("Markdown headings become the structure that sources name."),
          rows: 12,
          isRequired: true,
        },
        {
          name: "readers",
          label: t("Who can read it"),
          render: ({ label, name, value, onValue }) => (
            <ReadersField isDocument label={label} name={name} value={value as ReaderList} onValue={onValue} />
          ),
        },
      ]}
      resource="collection"
      onSave={(body) =>
        api.POST("/v1/knowledge/collections/{id}/documents", { params, body: { ...body, media_type: "text/markdown" } })
      }
      onClose={onClose}
    />
  );
}
