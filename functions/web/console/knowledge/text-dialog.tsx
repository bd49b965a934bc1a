import { t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";

/** Form for a document that is typed or pasted. */
export function TextDialog({ collectionId, onClose }: { readonly collectionId: string; readonly onClose: () => void }) {
  const params = { path: { id: collectionId } };
  return (
    <FormDialog
      title={t("Add text")}
      action={t("Add")}
      isWide
      schema={bodySchema("/v1/knowledge/collections/{id}/documents", "post")}
      fields={[
        { name: "title", label: t("Title"), isRequired: true },
        {
          name: "text",
          label: t("Text"),
          hint: t("Markdown headings become the structure that sources name."),
          rows: 12,
          isRequired: true,
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
