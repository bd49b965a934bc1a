import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatBytes, formatDateTime, formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { describeError, showError, showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Badge, Button, Dialog, ResourceStatus, TextField } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Page } from "../ui/layout.tsx";

type Deletion = ReplyOf<"/v1/data-deletions/{id}", "get">;

const POLL_INTERVAL_MS = 2_000;

/** Exports of the user's own data, and the deletion of a user's data. */
export function PersonalData() {
  const list = useResource("exports", () => api.GET("/v1/exports"));
  const [isDeleting, setDeleting] = useState(false);
  const [deletion, setDeletion] = useState<Deletion | null>(null);
  const exports = list.value?.exports ?? [];
  const start = async () => {
    try {
      const accepted = await api.POST("/v1/exports");
      showToast(
        "approval" in accepted
          ? t("The export needs an approval. Its state is shown in Approvals.")
          : t("The export is being prepared."),
      );
      list.reload();
      setTimeout(list.reload, POLL_INTERVAL_MS);
    } catch (error) {
      showError(error);
    }
  };
  const follow = async (started: Deletion) => {
    setDeletion(started);
    let current = started;
    while (current.status === "running") {
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
      try {
        current = await api.GET("/v1/data-deletions/{id}", { params: { path: { id: started.id } } });
        setDeletion(current);
      } catch (error) {
        showError(error);
        return;
      }
    }
  };
  return (
    <Page
      title={t("Exports and deletion")}
      intro={t("Take your data with you, or have it erased.")}
      back={{ path: "/console/govern", label: t("Govern"), isNarrowOnly: true }}
    >
      <section class="card section">
        <div class="row between wrap">
          <div>
            <h2>{t("Export my data")}</h2>
            <p class="muted small">
              {t(
                "An archive with your conversations, notes, memories, personas, templates and documents, as JSON Lines. It is available for one day.",
              )}
            </p>
          </div>
          <Button kind="primary" icon="download" onClick={start}>
            {t("Start an export")}
          </Button>
        </div>
        <ResourceStatus resource={list} lines={2} />
        {exports.length > 0 && (
          <div class="table-wrap">
            <table class="data responsive">
              <thead>
                <tr>
                  <th scope="col">{t("Started")}</th>
                  <th scope="col">{t("Content")}</th>
                  <th scope="col">{t("State")}</th>
                  <th scope="col">{t("Size")}</th>
                  <th scope="col">
                    <span class="visually-hidden">{t("Actions")}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {exports.map(({ id, kind, status, size, created_at }) => (
                  <tr key={id}>
                    <td>{formatDateTime(created_at)}</td>
                    <td data-label={t("Content")}>{kind === "archive" ? t("all my data") : t("one conversation")}</td>
                    <td data-label={t("State")}>
                      <Badge kind={status === "ready" ? "success" : status === "failed" ? "danger" : ""}>
                        {
                          {
                            pending: t("in progress"),
                            ready: t("ready"),
                            failed: t("failed"),
                            delivered: t("delivered"),
                          }[status]
                        }
                      </Badge>
                    </td>
                    <td data-label={t("Size")}>{formatBytes(size)}</td>
                    <td class="actions">
                      {status === "ready" && (
                        <Button
                          isSmall
                          icon="download"
                          onClick={async () => {
                            try {
                              // Links are valid for five minutes, so each download reads a new one.
                              const { download_url } = await api.GET("/v1/exports/{id}", { params: { path: { id } } });
                              if (download_url) location.assign(download_url);
                            } catch (error) {
                              showError(error);
                            }
                          }}
                        >
                          {t("Download")}
                        </Button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <section class="card section">
        <div class="row between wrap">
          <div>
            <h2>{t("Erase data")}</h2>
            <p class="muted small">
              {t("Deletes everything a user owns. Usage and the audit trail are kept. This cannot be undone.")}
            </p>
          </div>
          <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
            {t("Erase data…")}
          </Button>
        </div>
        {deletion && (
          <div class={`notice ${deletion.status === "completed" ? "success" : "warning"}`} role="status">
            <Icon name={deletion.status === "completed" ? "check" : "clock"} />
            <span class="grow">
              {deletion.status === "completed"
                ? t("The data of {user} was erased: {count} entries. Receipt {id}", {
                    user: deletion.user_id,
                    count: formatNumber(Object.values(deletion.counts).reduce((sum, count) => sum + count, 0)),
                    id: deletion.id,
                  })
                : t("The data of {user} is being erased…", { user: deletion.user_id })}
            </span>
          </div>
        )}
      </section>
      {isDeleting && <DeletionDialog onClose={() => setDeleting(false)} onStarted={follow} />}
    </Page>
  );
}

function DeletionDialog({
  onClose,
  onStarted,
}: {
  readonly onClose: () => void;
  readonly onStarted: (deletion: Deletion) => Promise<void>;
}) {
  const own = receptor.value?.user.user_id ?? "";
  const [user, setUser] = useState(can("rbac.manage") ? "" : own);
  const [confirmation, setConfirmation] = useState("");
  const [error, setError] = useState<string | null>(null);
  return (
    <Dialog title={t("Erase the data of a user")} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          try {
            void onStarted(await api.POST("/v1/data-deletions", { body: { user_id: user } }));
            onClose();
          } catch (failure) {
            setError(describeError(failure));
          }
        }}
      >
        <TextField
          label={t("User id")}
          value={user}
          onValue={setUser}
          error={error}
          disabled={!can("rbac.manage")}
          required
        />
        <TextField
          label={t("Type the user id once more to confirm")}
          value={confirmation}
          onValue={setConfirmation}
          required
        />
        <div class="actions">
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="danger" type="submit" disabled={!user || confirmation !== user}>
            {t("Erase")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
