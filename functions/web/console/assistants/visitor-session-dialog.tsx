import type { ReplyOf } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { api } from "../session/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { MoreButton } from "../ui/list.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import { VisitorMessage } from "../ui/visitor-message.tsx";

type VisitorSession = ReplyOf<"/v1/tenant/embed-keys/{id}/sessions", "get">["sessions"][number];

interface SessionDialogProps {
  readonly keyId: string;
  readonly sessionId: string;
  readonly form?: VisitorSession["form"];
  readonly onClose: () => void;
}

/** Messages of a visitor's session with their ratings. */
export function VisitorSessionDialog({ keyId, sessionId, form, onClose }: SessionDialogProps) {
  const path = { id: keyId, session_id: sessionId };
  const list = usePages(
    `visitors:${keyId}:session:${sessionId}`,
    (page) => api.GET("/v1/tenant/embed-keys/{id}/sessions/{session_id}", { params: { path, query: page } }),
    ({ messages }) => messages,
  );
  return (
    <Dialog title={t("Session of a visitor")} onClose={onClose} isWide>
      <div class="stack">
        <ResourceStatus resource={list} />
        {form && <p class="muted small">{form.map(({ label, value }) => `${label}: ${value}`).join(" · ")}</p>}
        {list.entries.map(({ rating, ...message }) => (
          <VisitorMessage key={message.message_id} message={message}>
            {rating && (
              <span>
                <Badge kind={rating === "up" ? "success" : "danger"}>{rating === "up" ? t("good") : t("bad")}</Badge>
              </span>
            )}
          </VisitorMessage>
        ))}
        {list.value?.entries.length === 0 && <p class="muted">{t("No question")}</p>}
        <MoreButton list={list} />
      </div>
    </Dialog>
  );
}
