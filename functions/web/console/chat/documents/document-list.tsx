import { t } from "../../lib/i18n.ts";
import { IconButton } from "../../ui/buttons.tsx";
import { Icon } from "../../ui/icons.tsx";
import { type NamedDocument, removeDocument } from "./pending-documents.ts";

/** Links to the documents that a question was limited to. */
export function DocumentList({ documents }: { readonly documents: readonly NamedDocument[] }) {
  return (
    <ul class="files end" aria-label={t("Documents of the question")}>
      {documents.map(({ collection_id, document_id, title }) => (
        <li key={document_id}>
          <a class="file" href={`/console/knowledge/${collection_id}/${document_id}`}>
            <Icon name="book" />
            <strong class="truncate small">{title}</strong>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Documents that the user has chosen for the next question, with buttons to remove them. */
export function PendingDocumentList({
  conversationId,
  documents,
}: {
  readonly conversationId: string;
  readonly documents: readonly NamedDocument[];
}) {
  return (
    <ul class="files" aria-label={t("Documents of the question")}>
      {documents.map((document) => (
        <li key={document.document_id} class="file">
          <Icon name="book" />
          <span class="file-text">
            <strong class="truncate">{document.title}</strong>
            <span class="small muted">{t("The answer uses only this.")}</span>
          </span>
          <IconButton
            icon="close"
            label={t("Remove {name}", { name: document.title })}
            onClick={() => removeDocument(conversationId, document)}
          />
        </li>
      ))}
    </ul>
  );
}
