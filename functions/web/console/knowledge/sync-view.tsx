import { useEffect } from "preact/hooks";
import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { describeCode } from "../lib/codes/server-texts.ts";
import { useResource } from "../lib/data.ts";
import { formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { DataTable } from "../ui/data-table.tsx";
import { Badge, Empty, ResourceStatus } from "../ui/status.tsx";

type Sync = ReplyOf<"/v1/knowledge/collections/{id}/sync", "get">;

const POLL_INTERVAL_MS = 2_000;

/** Last sync of a collection with its source: what it changed, and which files could not be read. */
export function SyncView({ collectionId }: { readonly collectionId: string }) {
  const sync = useResource(`collection:${collectionId}:sync`, () =>
    api.GET("/v1/knowledge/collections/{id}/sync", { params: { path: { id: collectionId } } }),
  );
  const isRunning = sync.value?.status === "open" || sync.value?.status === "applying";
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(sync.reload, POLL_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [isRunning, sync.value]);
  if (isProblem(sync.error, "not_found")) {
    return (
      <Empty
        icon="book"
        title={t("No sync yet")}
        action={
          <a href="/docs/guides/knowledge#sync-a-source" target="_blank" rel="noreferrer">
            {t("How to sync a folder, a repository or a website")}
          </a>
        }
      >
        {t("A program sends the files of a source, with their readers, and removes what the source no longer has.")}
      </Empty>
    );
  }
  return (
    <>
      <ResourceStatus resource={sync} />
      {sync.value && <SyncDetails sync={sync.value} />}
    </>
  );
}

const statusTexts = () => ({
  open: t("comparing and uploading"),
  applying: t("waiting until the files are indexed"),
  completed: t("completed"),
  failed: t("failed"),
  abandoned: t("abandoned"),
});

const statusKinds = {
  open: "warning",
  applying: "warning",
  completed: "success",
  failed: "danger",
  abandoned: "danger",
} as const;

function SyncDetails({ sync }: { readonly sync: Sync }) {
  const { status, started_at, completed_at, failures, failed } = sync;
  const numbers = {
    [t("Files")]: sync.files,
    [t("Added")]: sync.added,
    [t("Changed")]: sync.changed,
    [t("Moved")]: sync.moved,
    [t("Removed")]: sync.removed,
    [t("Not supported")]: sync.refused,
    [t("Failed")]: failed,
  };
  return (
    <>
      <p class="row wrap">
        <Badge kind={statusKinds[status]}>{statusTexts()[status]}</Badge>
        <span class="small muted">
          {completed_at === null
            ? t("Started {time}", { time: formatDateTime(started_at) })
            : t("Completed {time}", { time: formatDateTime(completed_at) })}
        </span>
      </p>
      {status === "abandoned" && (
        <p class="small muted">{t("The program made no request for 15 minutes. The next sync continues its work.")}</p>
      )}
      <dl class="stats">
        {Object.entries(numbers).map(([name, number]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{number}</dd>
          </div>
        ))}
      </dl>
      {failures.length > 0 && (
        <DataTable
          rows={failures}
          keyOf={({ path }) => path}
          columns={[
            { label: t("File"), cell: ({ path }) => <span class="break">{path}</span> },
            { label: t("Reason"), cell: (failure) => describeCode(failure) },
          ]}
        />
      )}
      {failed > failures.length && (
        <p class="small muted">{t("{count} more could not be read.", { count: String(failed - failures.length) })}</p>
      )}
    </>
  );
}
