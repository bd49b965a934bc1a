import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isProblem } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatDate } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { api } from "../session/session.ts";
import { Icon } from "../ui/icons.tsx";
import { Badge, Skeleton } from "../ui/status.tsx";
import type { Citation } from "./run.ts";
import { SidePanel } from "./side-panel.tsx";
import { isHiddenSource, titleOfSource } from "./source-title.ts";

/** Marks the first occurrence of a quote in a text. White space can differ. */
export function highlightQuote(text: string, quote: string): ComponentChildren {
  const words = quote.trim().split(/\s+/).slice(0, 400);
  if (words.length === 0 || words[0] === "") return text;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const match = new RegExp(pattern).exec(text);
  if (!match) return text;
  const end = match.index + match[0].length;
  return [text.slice(0, match.index), <mark>{text.slice(match.index, end)}</mark>, text.slice(end)];
}

/** Side panel of a citation: the cited passage with the quote marked, and its neighboring passages. */
export function CitationPanel({ citation, onClose }: { readonly citation: Citation; readonly onClose: () => void }) {
  const { collection_id, document_id, passage, uri, quote, heading, page, updated_at, is_outdated } = citation;
  const date = updated_at === undefined ? "" : formatDate(updated_at);
  const title = titleOfSource(citation);
  const hasPassage = collection_id !== null && document_id && typeof passage === "number";
  const source = useResource(hasPassage ? `passage:${document_id}:${passage}` : null, () =>
    api.GET("/v1/knowledge/collections/{id}/documents/{document_id}/passages/{passage}", {
      params: {
        path: { id: collection_id ?? "", document_id: document_id ?? "", passage: String(passage) },
        query: { neighbors: 1 },
      },
    }),
  );
  const passages = useRef<HTMLDivElement>(null);
  const isLoaded = source.value !== null;
  useEffect(() => {
    if (isLoaded) passages.current?.querySelector("mark")?.scrollIntoView({ block: "center" });
  }, [isLoaded]);
  const found = source.value;
  return (
    <SidePanel
      label={t("Source {index}: {title}", { index: citation.index, title })}
      title={title}
      details={
        <div class="row wrap small muted">
          {typeof page === "number" && <Badge>{t("page {page}", { page })}</Badge>}
          {heading && <span>{heading}</span>}
          {date && !is_outdated && <span>{t("As of {date}", { date })}</span>}
          {date && is_outdated && <Badge kind="warning">{t("As of {date}, outdated", { date })}</Badge>}
        </div>
      }
      onClose={onClose}
    >
      <div class="side-scroll" ref={passages}>
        {isHiddenSource(citation) && (
          <p class="notice">
            {t("The answer rests on a source of whose readers you are not one, or that was deleted.")}
          </p>
        )}
        {hasPassage && found === null && source.error === null && <Skeleton lines={8} />}
        {found ? (
          <div class="passage">
            {found.before.map(({ passage: position, text }) => (
              <p key={position} class="muted">
                {text}
              </p>
            ))}
            <p class="current">{highlightQuote(found.text, quote)}</p>
            {found.after.map(({ passage: position, text }) => (
              <p key={position} class="muted">
                {text}
              </p>
            ))}
          </div>
        ) : (
          !isHiddenSource(citation) &&
          (!hasPassage || source.error !== null) && (
            <div class="passage">
              {isProblem(source.error, "not_found") && (
                <p class="notice warning">{t("The document was deleted or is no longer shared with you.")}</p>
              )}
              <p class="current">{highlightQuote(quote, quote)}</p>
            </div>
          )
        )}
        <div class="row wrap">
          {hasPassage && found !== null && (
            <a
              class="button small"
              href={`/console/knowledge/${collection_id}/${document_id}?passage=${passage}&quote=${encodeURIComponent(quote)}`}
            >
              <Icon name="document" />
              {t("Open the document")}
            </a>
          )}
          {uri && /^https?:/i.test(uri) && (
            <a class="button small" href={uri} target="_blank" rel="noopener noreferrer">
              <Icon name="link" />
              {t("Original")}
            </a>
          )}
        </div>
      </div>
    </SidePanel>
  );
}
