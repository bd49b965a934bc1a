import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { MAX_IMPORT_BYTES, MAX_WEB_PAGE_BYTES, MEBIBYTE } from "../../../../shared/api/limits.ts";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { language, t } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { showError } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { MoreButton } from "../ui/list.tsx";
import { ProgressBar } from "../ui/progress.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import type { ReaderList } from "./readers.tsx";

type Import = ReplyOf<"/v1/knowledge/collections/{id}/imports", "get">["imports"][number];

const POLL_INTERVAL_MS = 1_500;

export function ImportsView({
  collectionId,
  readers,
  above,
}: {
  readonly collectionId: string;
  /** Readers of the documents of new imports. */
  readonly readers: ReaderList;
  /** Field that chooses them. */
  readonly above: ComponentChildren;
}) {
  const path = { id: collectionId };
  const imports = usePages(
    `collection:${collectionId}:imports`,
    (page) => api.GET("/v1/knowledge/collections/{id}/imports", { params: { path, query: page } }),
    (reply) => reply.imports,
  );
  const [deleting, setDeleting] = useState<Import | null>(null);
  const list = imports.entries;
  const isRunning = list.some(({ status }) => status === "running");
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(imports.reload, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [isRunning, imports.value]);
  const change = async (action: "cancel" | "retry", { id }: Import) => {
    try {
      await api.POST(`/v1/knowledge/collections/{id}/imports/{import_id}/${action}`, {
        params: { path: { ...path, import_id: id } },
      });
    } catch (error) {
      showError(error);
    }
    imports.reload();
  };
  return (
    <>
      {can("knowledge.create") && (
        <>
          <ImportForm collectionId={collectionId} readers={readers} onCreate={imports.reload} />
          {above}
        </>
      )}
      <ResourceStatus resource={imports} />
      <DataTable
        rows={list}
        keyOf={({ id }) => id}
        columns={[
          { label: t("Address"), cell: ({ url }) => <span class="break">{url}</span> },
          { label: t("State"), cell: (row) => <ImportStatus row={row} /> },
          {
            label: t("Added"),
            title: ({ created_at }) => formatDateTime(created_at),
            cell: ({ created_at }) => formatAgo(created_at),
          },
          {
            label: null,
            cell: (row) => (
              <span class="row">
                {row.status === "running" ? (
                  <Button isSmall onClick={() => change("cancel", row)}>
                    {t("Cancel")}
                  </Button>
                ) : (
                  <Button isSmall onClick={() => change("retry", row)}>
                    {t("Retry")}
                  </Button>
                )}
                <IconButton
                  icon="trash"
                  label={t("Delete {name}", { name: row.url })}
                  onClick={() => setDeleting(row)}
                />
              </span>
            ),
          },
        ]}
      />
      <MoreButton list={imports} />
      {deleting && (
        <ConfirmDialog
          title={t("Delete {name}?", { name: deleting.url })}
          text={t("The pages are not refreshed any more. Their documents stay.")}
          action={t("Delete")}
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/knowledge/collections/{id}/imports/{import_id}", {
              params: { path: { ...path, import_id: deleting.id } },
            });
            imports.reload();
          }}
        />
      )}
    </>
  );
}

function ImportForm({
  collectionId,
  readers,
  onCreate,
}: {
  readonly collectionId: string;
  readonly readers: ReaderList;
  readonly onCreate: () => void;
}) {
  const [url, setUrl] = useState("");
  const create = async (kind: "page" | "sitemap") => {
    try {
      await api.POST("/v1/knowledge/collections/{id}/imports", {
        params: { path: { id: collectionId } },
        body: { url: url.trim(), kind, readers: readers && [...readers] },
      });
      setUrl("");
      onCreate();
    } catch (error) {
      showError(error);
    }
  };
  const isEmpty = url.trim() === "";
  return (
    <form
      class="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        void create("page");
      }}
    >
      <TextField
        label={t("Address of a public web page or sitemap")}
        name="url"
        type="url"
        value={url}
        onValue={setUrl}
        maxLength={2_000}
      />
      <span class="row">
        <Button type="submit" isSmall disabled={isEmpty}>
          {t("Import page")}
        </Button>
        <Button isSmall disabled={isEmpty} onClick={() => create("sitemap")}>
          {t("Import sitemap")}
        </Button>
      </span>
    </form>
  );
}

/** Returns why an import failed: the service's own sentence, which is English, or its translation. */
function describeFailure({ code, message }: NonNullable<Import["failure"]>): string {
  if (language.value === "en") return message;
  const texts: Readonly<Record<typeof code, string>> = {
    address_not_allowed: t("Only public addresses can be imported."),
    port_not_allowed: t("Pages are imported from the ports 80 and 443 only."),
    unreachable: t("The address could not be reached in time."),
    too_many_redirects: t("The address redirects too often."),
    too_large: t("The page is larger than {size} MiB.", { size: MAX_WEB_PAGE_BYTES / MEBIBYTE }),
    unsupported: t("The address returns a format that cannot be read."),
    refused: t("The server refused the request."),
    disallowed: t("The robots.txt of the site does not allow the import."),
    empty: t("The sitemap lists no pages of its own site."),
    import_too_large: t("The pages of the import exceed {size} MiB.", { size: MAX_IMPORT_BYTES / MEBIBYTE }),
    storage_full: t("The organization has reached its limit of documents or bytes."),
    timeout: t("The import took longer than ten minutes."),
    interrupted: t("The import was interrupted repeatedly."),
  };
  return texts[code];
}

function ImportStatus({ row: { status, failure, pages, url } }: { readonly row: Import }) {
  const finished = pages.filter((page) => page.status !== "pending").length;
  const failed = pages.filter((page) => page.failure !== null);
  const counts = t("{count} of {total} pages imported", {
    count: String(pages.filter((page) => page.status === "imported").length),
    total: String(pages.length),
  });
  if (status === "running") {
    return (
      <span class="row">
        <Badge kind="warning">{t("importing")}</Badge>
        {pages.length > 0 && (
          <ProgressBar part={finished / pages.length} label={t("Import of {name}", { name: url })} />
        )}
      </span>
    );
  }
  return (
    <span class="row wrap">
      {status === "ready" && <Badge kind="success">{t("ready")}</Badge>}
      {status === "failed" && <Badge kind="danger">{t("failed")}</Badge>}
      {status === "canceled" && <Badge>{t("canceled")}</Badge>}
      <span class="small muted">{failure ? describeFailure(failure) : counts}</span>
      {failure === null && failed[0]?.failure && <span class="small muted">{describeFailure(failed[0].failure)}</span>}
    </span>
  );
}
