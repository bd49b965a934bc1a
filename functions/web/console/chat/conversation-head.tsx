import { conversationTitleOf } from "../lib/conversation-title.ts";
import { t } from "../lib/i18n.ts";
import { saveFile } from "../lib/save-file.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { IconButton } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import type { ConversationDetails } from "./conversation-details.ts";

/** Title of a conversation, how the user has access to it, and the buttons of its owner. */
export function ConversationHead({
  details,
  onShare,
}: {
  /** Null while the conversation is loaded. */
  readonly details: ConversationDetails | null;
  readonly onShare: () => void;
}) {
  return (
    <div class="conversation-head">
      <a class="icon-button only-narrow" href="/console/chat?list" aria-label={t("All conversations")}>
        <Icon name="back" />
      </a>
      <h1 class="truncate grow">{details ? conversationTitleOf(details) : ""}</h1>
      {details?.temporary && (
        <span class="badge" title={t("In no list, without memories, deleted after a day")}>
          {t("Temporary")}
        </span>
      )}
      {details && details.access !== "owner" && (
        <span class="badge">{details.access === "READ" ? t("Read only") : t("Shared with you")}</span>
      )}
      {details?.access === "owner" && (
        <>
          <IconButton icon="share" label={t("Share")} onClick={onShare} />
          <Menu
            label={t("Export")}
            icon="download"
            entries={(["markdown", "json"] as const).map((format) => ({
              label: format === "json" ? "JSON" : "Markdown",
              icon: "document",
              onSelect: () => void exportConversation(details.id, details.title, format),
            }))}
          />
        </>
      )}
    </div>
  );
}

async function exportConversation(id: string, title: string, format: "json" | "markdown"): Promise<void> {
  try {
    const response = await api.fetch(`/v1/conversations/${id}/export`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: format === "json" ? "application/json" : "text/markdown" },
      body: JSON.stringify({ format }),
    });
    if (response.status === 202) {
      const accepted = await response.json();
      showToast(
        "approval" in accepted
          ? t("The export needs an approval. Its state is shown in Approvals.")
          : t("The export is being prepared. Find it in Exports and deletion."),
      );
      return;
    }
    const extension = format === "json" ? "json" : "md";
    saveFile(`${title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60)}.${extension}`, await response.blob());
  } catch (error) {
    showError(error);
  }
}
