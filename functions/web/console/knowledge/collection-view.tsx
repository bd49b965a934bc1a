import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { MAX_UPLOAD_BYTES, MEBIBYTE } from "../../../../shared/api/limits.ts";
import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { describeCode } from "../lib/codes/server-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatBytes, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { showToast } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Icon } from "../ui/icons.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { Menu } from "../ui/menu.tsx";
import { ProgressBar } from "../ui/progress.tsx";
import { useConfirmation } from "../ui/resource-page.tsx";
import { Badge, Empty, ResourceStatus } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { CollectionDialog } from "./collection-dialog.tsx";
import { ImportsView } from "./imports-view.tsx";
import { ReaderBadges, type ReaderList, ReadersField } from "./readers.tsx";
import { SearchPlayground } from "./search-playground.tsx";
import { SyncView } from "./sync-view.tsx";
import { TextDialog } from "./text-dialog.tsx";
import { acceptedExtensions, type Upload, uploadDocument } from "./upload.ts";

type Documents = ReplyOf<"/v1/knowledge/collections/{id}/documents", "get">;
type KnowledgeDocument = Documents["documents"][number];

/** Intervals between reads while documents are indexed, in ms; the last one repeats. */
const POLL_INTERVALS_MS = [700, 1_000, 1_500, 2_500, 4_000];

/** Number of files that are uploaded at the same time. */
const CONCURRENT_UPLOADS = 3;

let lastUploadId = 0;

/** Documents of a collection, with upload and search. */
export function CollectionView({ id }: { readonly id: string }) {
  const { route } = useLocation();
  const path = { id };
  const collection = useResource(`collection:${id}`, () =>
    api.GET("/v1/knowledge/collections/{id}", { params: { path } }),
  );
  const documents = usePages(
    `collection:${id}:documents`,
    (page) => api.GET("/v1/knowledge/collections/{id}/documents", { params: { path, query: page } }),
    (reply) => reply.documents,
  );
  const [tab, setTab] = useState<"documents" | "imports" | "sync" | "search">("documents");
  const [newReaders, setNewReaders] = useState<ReaderList>(null);
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const [dialog, setDialog] = useState<"settings" | "text" | null>(null);
  const { confirm, confirmation } = useConfirmation();
  const polls = useRef(0);
  const list = documents.entries;
  const isIndexing = list.some(({ status }) => status === "indexing");
  useEffect(() => {
    if (!isIndexing) {
      polls.current = 0;
      return;
    }
    const delay = POLL_INTERVALS_MS[Math.min(polls.current, POLL_INTERVALS_MS.length - 1)];
    const timer = setTimeout(() => {
      polls.current += 1;
      documents.reload();
    }, delay);
    return () => clearTimeout(timer);
  }, [isIndexing, documents.value]);
  if (isProblem(collection.error, "not_found")) {
    return (
      <main class="page">
        <Empty isPage icon="book" title={t("This collection does not exist")}>
          {t("It was deleted, or it is not shared with you.")}
        </Empty>
      </main>
    );
  }
  const details = collection.value;
  const canSync = details?.owner_id === receptor.value?.user.user_id || can("rbac.manage");
  const deletion = {
    title: t("Delete the collection {name}?", { name: details?.name ?? "" }),
    text: t("All of its documents will be deleted, and answers will no longer cite them. This cannot be undone."),
    send: async () => {
      await api.DELETE("/v1/knowledge/collections/{id}", { params: { path } });
      invalidate("collections");
      showToast(t("The collection was deleted."));
      route("/console/knowledge");
    },
  };
  const change = (uploadId: number, changes: Partial<Upload>) =>
    setUploads((current) => current.map((each) => (each.id === uploadId ? { ...each, ...changes } : each)));
  const addFiles = async (files: readonly File[]) => {
    setTab("documents");
    const queue = files.map((file) => ({ file, id: ++lastUploadId }));
    setUploads((current) => [
      ...queue.map(({ file: { name, size }, id: uploadId }) => ({
        id: uploadId,
        name,
        size,
        progress: 0,
        error: null,
      })),
      ...current.filter(({ error }) => error !== null),
    ]);
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { file, id: uploadId } = next;
        try {
          await uploadDocument(id, file, newReaders, (progress) => change(uploadId, { progress }));
          setUploads((current) => current.filter((each) => each.id !== uploadId));
          polls.current = 0;
          documents.reload();
        } catch (error) {
          change(uploadId, { error: (error as Error).message });
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, work));
    invalidate("collections");
  };
  const readersOfNew = (
    <details>
      <summary>{t("Who can read new documents")}</summary>
      <ReadersField
        isDocument
        label={t("Who can read new documents")}
        name="new_readers"
        value={newReaders}
        onValue={setNewReaders}
      />
    </details>
  );
  return (
    <PageLayout
      title={details?.name ?? t("Collection")}
      intro={details?.description}
      back={{ path: "/console/knowledge", label: t("Knowledge"), isNarrowOnly: true }}
      actions={
        <>
          {details && <ReaderBadges readers={details.readers} />}
          <Menu
            label={t("Actions for {name}", { name: details?.name ?? "" })}
            entries={[
              { label: t("Settings"), icon: "sliders", onSelect: () => setDialog("settings") },
              { label: t("Add text"), icon: "edit", onSelect: () => setDialog("text") },
              null,
              { label: t("Delete"), icon: "trash", isDanger: true, onSelect: () => confirm(deletion) },
            ]}
          />
        </>
      }
    >
      <Tabs
        label={t("Views of the collection")}
        value={tab}
        onValue={setTab}
        options={[
          ["documents", t("Documents")],
          ["imports", t("Web pages")],
          ...(canSync ? ([["sync", t("Sync")]] as const) : []),
          ["search", t("Try a search")],
        ]}
      />
      {tab === "search" ? (
        <SearchPlayground collectionId={id} />
      ) : tab === "sync" ? (
        <SyncView collectionId={id} />
      ) : tab === "imports" ? (
        <ImportsView collectionId={id} readers={newReaders} above={readersOfNew} />
      ) : (
        <>
          {can("knowledge.create") && (
            <>
              <DropZone onFiles={addFiles} />
              {readersOfNew}
            </>
          )}
          {uploads.length > 0 && (
            <UploadList
              uploads={uploads}
              onDismiss={(uploadId) => setUploads(uploads.filter((each) => each.id !== uploadId))}
            />
          )}
          <ResourceStatus resource={documents} />
          <DocumentTable collectionId={id} documents={list} />
          <MoreButton list={documents} />
          {documents.value !== null && list.length === 0 && uploads.length === 0 && (
            <p class="muted">{t("This collection has no documents yet.")}</p>
          )}
        </>
      )}
      {dialog === "settings" && details && <CollectionDialog collection={details} onClose={() => setDialog(null)} />}
      {dialog === "text" && <TextDialog collectionId={id} readers={newReaders} onClose={() => setDialog(null)} />}
      {confirmation}
    </PageLayout>
  );
}

/** Area for files: drop them, or choose them in a dialog. */
function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard
    <div
      class={`drop ${isOver ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <Icon name="upload" />
      <strong>{t("Drop files here")}</strong>
      <span class="muted small">
        {t(
          "PDF, Word, PowerPoint, Excel, OpenDocument, RTF, CSV, EPUB, HTML, Markdown, text or e-mail, up to {size} MB",
          {
            size: MAX_UPLOAD_BYTES / MEBIBYTE,
          },
        )}
      </span>
      <Button isSmall onClick={() => input.current?.click()}>
        {t("Choose files")}
      </Button>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        tabIndex={-1}
        aria-label={t("Choose files")}
        accept={acceptedExtensions}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </div>
  );
}

function UploadList({
  uploads,
  onDismiss,
}: {
  readonly uploads: readonly Upload[];
  readonly onDismiss: (id: number) => void;
}) {
  return (
    <ul class="stack tight" aria-label={t("Uploads")}>
      {uploads.map(({ id, name, size, progress, error }) => (
        <li key={id} class={`notice ${error ? "danger" : ""}`}>
          <Icon name={error ? "warning" : "upload"} />
          <span class="grow truncate">
            {name} <span class="small">{error ?? formatBytes(size)}</span>
          </span>
          {error ? (
            <IconButton icon="close" label={t("Dismiss")} onClick={() => onDismiss(id)} />
          ) : (
            <ProgressBar part={progress} label={t("Upload of {name}", { name })} />
          )}
        </li>
      ))}
    </ul>
  );
}

const stageTexts = () => ({
  queued: t("waiting"),
  extracting: t("reading"),
  indexing: t("indexing"),
  staged: t("waiting for the sync"),
});

function DocumentStatus({ document }: { readonly document: KnowledgeDocument }) {
  const { status, stage, progress, failure, title } = document;
  if (status === "ready") return <Badge kind="success">{t("ready")}</Badge>;
  if (status === "failed") {
    return (
      <span class="row wrap">
        <Badge kind="danger">{t("failed")}</Badge>
        <span class="small muted">{failure && describeCode(failure)}</span>
      </span>
    );
  }
  return (
    <span class="row">
      <Badge kind="warning">{stageTexts()[stage ?? "indexing"]}</Badge>
      {typeof progress === "number" && <ProgressBar part={progress} label={t("Indexing of {name}", { name: title })} />}
    </span>
  );
}

function DocumentTable({
  collectionId,
  documents,
}: {
  readonly collectionId: string;
  readonly documents: readonly KnowledgeDocument[];
}) {
  const { confirm, confirmation } = useConfirmation(() => {
    invalidate(`collection:${collectionId}`);
    invalidate("collections");
  });
  return (
    <>
      <DataTable
        rows={documents}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t("Title"),
            cell: ({ id, title, readers }) => (
              <>
                <a href={`/console/knowledge/${collectionId}/${id}`}>{title}</a>
                {readers !== null && <Badge>{t("fewer readers")}</Badge>}
              </>
            ),
          },
          { label: t("State"), cell: (document) => <DocumentStatus document={document} /> },
          { label: t("Size"), className: "nowrap", cell: ({ size }) => formatBytes(size) },
          { label: t("Passages"), cell: ({ chunk_count }) => chunk_count },
          {
            label: t("Added"),
            title: ({ created_at }) => formatDateTime(created_at),
            cell: ({ created_at }) => formatAgo(created_at),
          },
          {
            label: null,
            cell: (document) => (
              <IconButton
                icon="trash"
                label={t("Delete {name}", { name: document.title })}
                onClick={() =>
                  confirm({
                    title: t("Delete {name}?", { name: document.title }),
                    text: t("Answers will no longer find or cite this document."),
                    send: () =>
                      api.DELETE("/v1/knowledge/collections/{id}/documents/{document_id}", {
                        params: { path: { id: collectionId, document_id: document.id } },
                      }),
                  })
                }
              />
            ),
          },
        ]}
      />
      {confirmation}
    </>
  );
}
