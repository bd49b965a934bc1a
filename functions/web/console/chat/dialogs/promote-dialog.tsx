import { invalidate } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { useCollections } from "../../lib/lists.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";

/** Dialog to add an answer to a knowledge collection. */
export function PromoteDialog({
  conversationId,
  messageId,
  title,
  suggestedId = null,
  onDone,
  onClose,
}: {
  readonly conversationId: string;
  readonly messageId: string;
  /** Title of the new document; the service chooses one if the title is empty or missing. */
  readonly title?: string;
  /** Id of the collection that the assistant suggests. */
  readonly suggestedId?: string | null;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}) {
  const collections = useCollections();
  const add = async (id: string, name: string) => {
    try {
      await api.POST("/v1/knowledge/collections/{id}/promote", {
        params: { path: { id } },
        body: { conversation_id: conversationId, message_id: messageId, ...(title && { title }) },
      });
      invalidate("collections");
      showToast(t("Added to {name}.", { name }));
      onDone?.();
      onClose();
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Dialog title={t("Add to knowledge")} onClose={onClose}>
      <p class="muted">{t("The answer becomes a document that other answers can cite.")}</p>
      <div class="stack tight">
        <ResourceStatus resource={collections} />
        {collections.value?.collections.map(({ id, name }) => (
          <button key={id} type="button" class="item bordered" onClick={() => add(id, name)}>
            <Icon name="book" />
            <span class="truncate grow">{name}</span>
            {id === suggestedId && <Badge kind="accent">{t("suggested")}</Badge>}
          </button>
        ))}
        {collections.value?.collections.length === 0 && <p>{t("Create a collection in Knowledge first.")}</p>}
      </div>
    </Dialog>
  );
}
