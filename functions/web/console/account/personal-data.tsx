import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { formatBytes, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import { type Deletion, DeletionDialog, DeletionNotice } from "./deletion-dialog.tsx";
import { ImportProgress } from "./import/import-progress.tsx";
import { importState } from "./import/import-state.ts";

const ImportDialog = onDemand(() => import("./import/import-dialog.tsx").then((module) => module.ImportDialog));

type Export = ReplyOf<"/v1/exports/{id}", "get">;

const POLL_INTERVAL_MS = 2_000;

const stateTexts = () => ({
  pending: t("in progress"),
  ready: t("ready"),
  failed: t("failed"),
  delivered: t("delivered"),
});

/**
 * Downloads an export. Links are valid for five minutes, so each download reads a new one.
 * @param zip index of the ZIP file; omitted for the text of the export
 */
async function download(id: string, zip?: number): Promise<void> {
  const { download_url, zip_urls } = await api.GET("/v1/exports/{id}", { params: { path: { id } } });
  const url = zip === undefined ? download_url : zip_urls[zip];
  if (url) location.assign(url);
}

/** Buttons that download an export: the ZIP files of an archive, and its text. */
function Downloads({ id, zip_urls }: Pick<Export, "id" | "zip_urls">) {
  const count = zip_urls.length;
  return (
    <div class="row wrap">
      {zip_urls.map((_, index) => (
        <Button key={index} isSmall icon="download" onClick={() => download(id, index).catch(showError)}>
          {count === 1 ? t("Download") : t("Part {part} of {count}", { part: index + 1, count })}
        </Button>
      ))}
      <Button isSmall icon={count === 0 ? "download" : undefined} onClick={() => download(id).catch(showError)}>
        {count === 0 ? t("Download") : t("Without files")}
      </Button>
    </div>
  );
}

/** Exports of the user's own data, imports, and the deletion of the data. */
export function PersonalData() {
  const list = usePages(
    "exports",
    (page) => api.GET("/v1/exports", { params: { query: page } }),
    (reply) => reply.exports,
  );
  const own = receptor.value?.user.user_id ?? "";
  const [isDeleting, setDeleting] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const [deletion, setDeletion] = useState<Deletion | null>(null);
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
  return (
    <PageLayout title={t("Exports and deletion")} intro={t("Take your data with you, or have it erased.")}>
      <section class="card section">
        <div class="row between wrap">
          <div>
            <h2>{t("Export my data")}</h2>
            <p class="muted small">
              {t(
                "Conversations with their files, notes, memories, personas, templates and documents in a ZIP file, available for one day.",
              )}
            </p>
          </div>
          <Button kind="primary" icon="download" onClick={start}>
            {t("Start an export")}
          </Button>
        </div>
        <ResourceStatus resource={list} lines={2} />
        <DataTable
          rows={list.entries}
          keyOf={({ id }) => id}
          columns={[
            { label: t("Started"), cell: ({ created_at }) => formatDateTime(created_at) },
            {
              label: t("Content"),
              cell: ({ kind }) => (kind === "archive" ? t("all my data") : t("one conversation")),
            },
            {
              label: t("State"),
              cell: ({ status }) => (
                <Badge kind={status === "ready" ? "success" : status === "failed" ? "danger" : ""}>
                  {stateTexts()[status]}
                </Badge>
              ),
            },
            { label: t("Size"), cell: ({ size }) => formatBytes(size) },
            {
              label: null,
              cell: ({ status, ...entry }) => status === "ready" && <Downloads {...entry} />,
            },
          ]}
        />
        <MoreButton list={list} />
      </section>
      <section class="card section">
        <div class="row between wrap">
          <div>
            <h2>{t("Import conversations")}</h2>
            <p class="muted small">{t("Continue what you began in ChatGPT, Claude or another organization here.")}</p>
          </div>
          <Button icon="upload" onClick={() => setImporting(true)}>
            {importState.value ? t("Show the import") : t("Import…")}
          </Button>
        </div>
        {!isImporting && <ImportProgress />}
        {isImporting && <ImportDialog onClose={() => setImporting(false)} />}
      </section>
      <section class="card section">
        <div class="row between wrap">
          <div>
            <h2>{t("Erase data")}</h2>
            <p class="muted small">
              {t("Deletes everything that you own. Usage and the audit trail are kept. This cannot be undone.")}
            </p>
          </div>
          <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
            {t("Erase data…")}
          </Button>
        </div>
        {deletion && <DeletionNotice key={deletion.id} started={deletion} />}
      </section>
      {isDeleting && <DeletionDialog userId={own} onClose={() => setDeleting(false)} onStarted={setDeletion} />}
    </PageLayout>
  );
}
