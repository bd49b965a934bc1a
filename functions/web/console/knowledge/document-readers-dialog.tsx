import { t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { type ReaderList, ReadersField } from "./readers.tsx";

/** Dialog that narrows the readers of a document. */
export function DocumentReadersDialog({
  collectionId,
  documentId,
  readers,
  onClose,
}: {
  readonly collectionId: string;
  readonly documentId: string;
  readonly readers: ReaderList;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t("Who can read the document")}
      action={t("Save")}
      schema={bodySchema("/v1/knowledge/collections/{id}/documents/{document_id}", "patch")}
      value={{ readers }}
      fields={[
        {
          name: "readers",
          label: t("Who can read it"),
          render: ({ label, name, value, onValue }) => (
            <ReadersField isDocument label={label} name={name} value={value as ReaderList} onValue={onValue} />
          ),
        },
      ]}
      resource={`document:${documentId}`}
      savedText={t("Saved. People who gained access find the document after it was indexed again.")}
      onSave={(body) =>
        api.PATCH("/v1/knowledge/collections/{id}/documents/{document_id}", {
          params: { path: { id: collectionId, document_id: documentId } },
          body,
        })
      }
      onClose={onClose}
    />
  );
}
