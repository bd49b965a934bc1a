import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { t, tn } from "../lib/i18n.ts";
import { describeError } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { Icon } from "../ui/icons.tsx";
import { ProgressBar } from "../ui/progress.tsx";
import { Badge } from "../ui/status.tsx";

type Results = ReplyOf<"/v1/knowledge/search", "get">["results"];

/** Number of passages that are shown. */
const LIMIT = 10;

/** Search that shows the passages the assistant would find, with their scores. */
export function SearchPlayground({ collectionId }: { readonly collectionId: string | null }) {
  const [query, setQuery] = useState("");
  const [results, setResults] = useState<Results | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [durationMs, setDurationMs] = useState(0);
  const search = async () => {
    setBusy(true);
    setError(null);
    const startedAt = performance.now();
    try {
      const filters = { q: query, limit: LIMIT, ...(collectionId && { collection_id: collectionId }) };
      const found = await api.GET("/v1/knowledge/search", { params: { query: filters } });
      setDurationMs(Math.round(performance.now() - startedAt));
      setResults(found.results);
    } catch (failure) {
      setError(describeError(failure));
    }
    setBusy(false);
  };
  const best = Math.max(...(results ?? []).map(({ score }) => score), Number.EPSILON);
  return (
    <div class="stack">
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          void search();
        }}
      >
        <input
          class="input grow"
          type="search"
          aria-label={t("Question or words to search for")}
          placeholder={t("Question or words to search for")}
          maxLength={2000}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <Button kind="primary" type="submit" icon="search" disabled={!query.trim() || isBusy}>
          {t("Search")}
        </Button>
      </form>
      {error && (
        <p class="notice danger" role="alert">
          {error}
        </p>
      )}
      <div class="stack" role="status" aria-live="polite">
        {results !== null && (
          <p class="muted small">
            {results.length === 0
              ? t("No passage matches. The assistant would answer without a source.")
              : `${tn("{count} passage", "{count} passages", results.length)}, ${t("found in {ms} ms", { ms: durationMs })}`}
          </p>
        )}
        {results?.map((result) => (
          <article key={result.chunk_id} class="card result">
            <div class="row between wrap">
              <a
                class="row"
                href={`/console/knowledge/${result.collection_id}/${result.document_id}?passage=${result.passage ?? 0}`}
              >
                <Icon name="document" />
                <strong>{result.title}</strong>
              </a>
              <span class="score">
                <ProgressBar part={result.score / best} label={t("Relevance")} />
                {result.score.toFixed(3)}
              </span>
            </div>
            {(result.heading || typeof result.page === "number") && (
              <div class="row wrap small muted">
                {typeof result.page === "number" && <Badge>{t("page {page}", { page: result.page })}</Badge>}
                {result.heading}
              </div>
            )}
            <p>{markWords(result.snippet, query)}</p>
          </article>
        ))}
      </div>
    </div>
  );
}

/** Marks where words of a text begin with a query word of more than three letters, ignoring case. */
function markWords(text: string, query: string) {
  const words = query
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 3)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (words.length === 0) return text;
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})`, "giu"));
  return parts.map((part, index) => (index % 2 === 1 ? <mark>{part}</mark> : part));
}
