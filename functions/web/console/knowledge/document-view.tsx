import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { highlightQuote } from "../chat/citation-panel.tsx";
import { nameMediaType } from "../lib/codes/media-types.ts";
import { describeCode } from "../lib/codes/server-texts.ts";
import { useResource } from "../lib/data.ts";
import { formatBytes, formatDateTime } from "../lib/format.ts";
import { t, tn } from "../lib/i18n.ts";
import { showError } from "../lib/toast.ts";
import { api, can, receptor } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { Badge, Empty, FailureMessage, ResourceStatus, Skeleton } from "../ui/status.tsx";
import { DocumentReadersDialog } from "./document-readers-dialog.tsx";
import { ReaderBadges } from "./readers.tsx";

type PassageReply = ReplyOf<"/v1/knowledge/collections/{id}/documents/{document_id}/passages/{passage}", "get">;
type Passage = PassageReply["before"][number];

/** Number of passages that one request loads before and after a passage. */
const NEIGHBORS = 5;

/** Reader for the text of a document, passage by passage. */
export function DocumentView({
  collectionId,
  documentId,
  collectionName,
  ownerId,
}: {
  readonly collectionId: string;
  readonly documentId: string;
  readonly collectionName: string;
  /** Owner of the collection; undefined until it is known. */
  readonly ownerId: string | undefined;
}) {
  const { query } = useLocation();
  const selected = query.passage === undefined ? null : Number(query.passage);
  const path = { id: collectionId, document_id: documentId };
  const document = useResource(`document:${documentId}`, () =>
    api.GET("/v1/knowledge/collections/{id}/documents/{document_id}", { params: { path } }),
  );
  const [passages, setPassages] = useState<readonly Passage[]>([]);
  const [error, setError] = useState<unknown>(null);
  const text = useRef<HTMLDivElement>(null);
  const count = document.value?.chunk_count ?? 0;
  const load = async (center: number) => {
    try {
      const found = await api.GET("/v1/knowledge/collections/{id}/documents/{document_id}/passages/{passage}", {
        params: { path: { ...path, passage: String(center) }, query: { neighbors: NEIGHBORS } },
      });
      const { passage, page, heading, text: own, segments } = found;
      const loaded = [...found.before, { passage, page, heading, text: own, segments }, ...found.after];
      setPassages((current) => {
        const byPosition = new Map([...current, ...loaded].map((each) => [each.passage, each]));
        return [...byPosition.values()].sort((a, b) => a.passage - b.passage);
      });
    } catch (failure) {
      setError(failure);
      if (!isProblem(failure)) showError(failure);
    }
  };
  const isReady = count > 0;
  useEffect(() => {
    if (isReady) void load(selected ?? 0);
  }, [isReady, selected]);
  const isLoaded = passages.length > 0;
  useEffect(() => {
    if (!isLoaded || selected === null) return;
    const target = text.current?.querySelector(".current mark") ?? text.current?.querySelector(".current");
    target?.scrollIntoView({ block: "center" });
  }, [isLoaded, selected]);
  const details = document.value;
  const [isChangingReaders, setChangingReaders] = useState(false);
  const self = receptor.value?.user.user_id;
  const canChange = self === ownerId || self === details?.author_id || can("rbac.manage");
  if (isProblem(document.error, "not_found")) {
    return (
      <main class="page">
        <Empty isPage icon="document" title={t("This document does not exist")}>
          {t("It was deleted, or it is not shared with you.")}
        </Empty>
      </main>
    );
  }
  const first = passages[0]?.passage ?? 0;
  const last = passages.at(-1)?.passage ?? 0;
  return (
    <PageLayout
      title={details?.title ?? t("Document")}
      back={{ path: `/console/knowledge/${collectionId}`, label: collectionName || t("Collection") }}
      actions={
        details?.uri && /^https?:/i.test(details.uri) ? (
          <a class="button" href={details.uri} target="_blank" rel="noopener noreferrer">
            <Icon name="link" />
            {t("Original")}
          </a>
        ) : undefined
      }
    >
      {details && (
        <div class="row wrap small muted">
          <Badge title={details.media_type}>{nameMediaType(details.media_type)}</Badge>
          <span>{formatBytes(details.size)}</span>
          <span>{tn("{count} passage", "{count} passages", count)}</span>
          {details.page_count && <span>{tn("{count} page", "{count} pages", details.page_count)}</span>}
          <span>{t("added {date}", { date: formatDateTime(details.created_at) })}</span>
          <ReaderBadges isDocument readers={details.readers} />
          {canChange && (
            <Button isSmall onClick={() => setChangingReaders(true)}>
              {t("Who can read it")}
            </Button>
          )}
        </div>
      )}
      {details?.status === "failed" && (
        <p class="notice danger">
          <Icon name="warning" />
          {details.failure && describeCode(details.failure)}
        </p>
      )}
      {details?.status === "indexing" && (
        <div class="notice warning">
          <span class="grow">{t("The document is being indexed. Its text appears here when it is ready.")}</span>
          <Button isSmall onClick={document.reload}>
            {t("Refresh")}
          </Button>
        </div>
      )}
      {error !== null && !isLoaded && <FailureMessage error={error} onRetry={() => load(selected ?? 0)} />}
      <ResourceStatus resource={document} lines={8} />
      {!isLoaded && error === null && isReady && <Skeleton lines={8} />}
      <div class="document-text stack" ref={text}>
        {isLoaded && first > 0 && (
          <Button isSmall onClick={() => load(Math.max(0, first - NEIGHBORS - 1))}>
            {t("Show the text before")}
          </Button>
        )}
        <div class="passage">
          {passages.map(({ passage, page, heading, text: own }, index) => (
            <div key={passage}>
              {heading && heading !== passages[index - 1]?.heading && (
                <div class="small muted passage-heading">
                  {heading}
                  {typeof page === "number" && ` · ${t("page {page}", { page })}`}
                </div>
              )}
              {passage === selected ? <p class="current">{highlightQuote(own, query.quote ?? "")}</p> : <p>{own}</p>}
            </div>
          ))}
        </div>
        {isLoaded && last < count - 1 && (
          <Button isSmall onClick={() => load(Math.min(count - 1, last + NEIGHBORS + 1))}>
            {t("Show more")}
          </Button>
        )}
      </div>
      {isChangingReaders && details && (
        <DocumentReadersDialog
          collectionId={collectionId}
          documentId={documentId}
          readers={details.readers}
          onClose={() => setChangingReaders(false)}
        />
      )}
    </PageLayout>
  );
}
