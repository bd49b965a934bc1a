import { useEffect, useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePeople } from "../lib/people/people.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Icon } from "../ui/icons.tsx";

export type Deletion = ReplyOf<"/v1/data-deletions/{id}", "get">;

const POLL_INTERVAL_MS = 2_000;

/** Progress of a deletion, and its receipt when it is completed. */
export function DeletionNotice({ started }: { readonly started: Deletion }) {
  const { nameOf } = usePeople();
  const [{ id, status, user_id, counts }, setDeletion] = useState(started);
  useEffect(() => {
    if (status !== "running") return;
    const params = { path: { id } };
    const timer = setInterval(() => {
      api.GET("/v1/data-deletions/{id}", { params }).then(setDeletion, (error) => {
        clearInterval(timer);
        showError(error);
      });
    }, POLL_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [id, status]);
  const isCompleted = status === "completed";
  return (
    <div class={`notice ${isCompleted ? "success" : "warning"}`} role="status">
      <Icon name={isCompleted ? "check" : "clock"} />
      <span class="grow">
        {isCompleted
          ? t("The data of {user} was erased: {count} entries. Receipt {id}", {
              user: nameOf(user_id),
              count: formatNumber(Object.values(counts).reduce((sum, count) => sum + count, 0)),
              id,
            })
          : t("The data of {user} is being erased…", { user: nameOf(user_id) })}
      </span>
    </div>
  );
}

/** Dialog that erases the data of a user after a confirmation. */
export function DeletionDialog({
  userId,
  onClose,
  onStarted,
}: {
  readonly userId: string;
  readonly onClose: () => void;
  readonly onStarted: (deletion: Deletion) => void;
}) {
  const user = usePeople().nameOf(userId);
  return (
    <FormDialog
      title={t("Erase the data of a user")}
      action={t("Erase")}
      isDangerous
      canSave={(get) => get("$confirmation") === user}
      fields={[{ name: "$confirmation", label: t("Type {name} to confirm", { name: user }) }]}
      onSave={async () => {
        const accepted = await api.POST("/v1/data-deletions", { body: { user_id: userId } });
        if ("approval" in accepted) showToast(t("The erasure needs an approval. Its state is shown in Approvals."));
        else onStarted(accepted);
      }}
      onClose={onClose}
    >
      <p class="muted small">
        {t("Deletes everything a user owns. Usage and the audit trail are kept. This cannot be undone.")}
      </p>
      {/* Two people can have the same name. */}
      <p class="muted small">{userId}</p>
    </FormDialog>
  );
}
