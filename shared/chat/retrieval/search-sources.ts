import type { GuardrailVerdict } from "../../guardrails/types.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { findReadableDocuments, type ReadableDocument } from "../../knowledge/search/readable-documents.ts";
import { searchKnowledge } from "../../knowledge/search/search-knowledge.ts";
import type { WebResult } from "../../knowledge/web/search-web.ts";
import { sha256 } from "../../lib/hash.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent, Source } from "../../runs/events.ts";
import { checkHits } from "../guardrail-checks.ts";
import { readerOf } from "../knowledge-reader.ts";
import type { Turn } from "../turn.ts";

const MAX_HITS_PER_SEARCH = 6;

const MAX_SNIPPET_CHARACTERS = 300;

const MAX_SOURCES = 24;

/**
 * Converts a web page or search result to the form of a passage, so that it is checked, numbered and cited like one.
 */
export const toWebSource = ({ url, title, text }: WebResult): KnowledgeHit => ({
  source_type: "web",
  ...{ chunk_id: `web:${sha256(`${url} ${text}`)}`, document_id: "", collection_id: "", passage: 0 },
  ...{ page: null, heading: null, title, uri: url, text, snippet: truncate(text, MAX_SNIPPET_CHARACTERS) },
  ...{ metadata: {}, language: detectLanguage(text), highlights: [], matched_terms: [], relevance: 1, score: 1 },
  scores: { words: null, meaning: null, fused: 1, rerank: null },
});

/** Returns the fields of a hit that clients receive. They do not include the full passage. */
export function toSource(hit: KnowledgeHit): Source {
  const { chunk_id, document_id, passage, page, heading, title, collection_id, uri, score, snippet } = hit;
  const { source_type = "document" } = hit;
  if (source_type !== "document") {
    return { source_id: chunk_id, source_type, page, heading, title, collection_id: null, uri, score, snippet };
  }
  const { updated_at, is_outdated } = hit;
  const location = { document_id, passage, page, heading, updated_at, is_outdated };
  return { source_id: chunk_id, source_type: "document", ...location, title, collection_id, uri, score, snippet };
}

/**
 * Returns the collections to search, or undefined for all that the user can read. If the persona names collections,
 * only these are searched; visitors can search no others.
 */
function getCollectionIds({ persona, principal }: Turn): readonly string[] | undefined {
  const collectionIds = persona?.collection_ids ?? [];
  return collectionIds.length > 0 || principal.kind === "visitor" ? collectionIds : undefined;
}

/**
 * Returns the documents that the question names and that the user may read now.
 * @returns null if the question names none
 */
export async function findNamedDocuments(turn: Turn): Promise<readonly ReadableDocument[] | null> {
  const { documents } = turn.question;
  if (!documents) return null;
  return [...(await findReadableDocuments(readerOf(turn), documents)).values()];
}

export interface SearchOutcome {
  readonly event: RunEvent;
  readonly hits: readonly KnowledgeHit[];
  /** True if only words were searched, because the embedding provider failed. */
  readonly isDegraded: boolean;
  /** True if the results were not reranked, because the reranking provider failed. */
  readonly isRerankFailed: boolean;
}

/**
 * Searches the knowledge that the user can read, or only the documents that the question names. Failures of the
 * embedding and reranking providers reduce the quality and are reported in the result.
 * @param minRelevance minimum relevance of the hits; by default `MIN_RELEVANCE`, and 0 if the question names documents
 */
export async function searchSources(
  turn: Turn,
  { query, context = [] }: { readonly query: string; readonly context?: readonly string[] },
  minRelevance?: number,
): Promise<SearchOutcome> {
  let isDegraded = false;
  let isRerankFailed = false;
  const documents = await findNamedDocuments(turn);
  const hits = await searchKnowledge(readerOf(turn), {
    text: query,
    context,
    onDegraded: () => {
      isDegraded = true;
    },
    rerank: turn.run.tier === "RESEARCH",
    onRerankFailed: () => {
      isRerankFailed = true;
    },
    minRelevance,
    // The asker knows that the documents belong to the question, so that no passage needs to show it.
    ...(documents ? { documents, minRelevance: 0 } : { collectionIds: getCollectionIds(turn) }),
    limit: MAX_HITS_PER_SEARCH,
  });
  const event = { type: "search_transparency", data: { query, sources: hits.map(toSource) } } as const;
  return { event, hits, isDegraded, isRerankFailed };
}

/**
 * Checks new hits with the guardrail and adds the allowed ones to the sources of the turn.
 * @param maxSources maximum number of sources in the turn; further hits are dropped
 * @returns the verdicts on new hits, and the citation numbers of all given hits that are now sources
 */
export async function addSources(
  turn: Turn,
  hits: readonly KnowledgeHit[],
  maxSources = MAX_SOURCES,
): Promise<{ readonly verdicts: readonly GuardrailVerdict[]; readonly numbers: readonly number[] }> {
  const knownIds = new Set(turn.answer.sources.map(({ chunk_id }) => chunk_id));
  const newHits = [...new Map(hits.map((hit) => [hit.chunk_id, hit])).values()]
    .filter(({ chunk_id }) => !knownIds.has(chunk_id))
    .slice(0, Math.max(0, maxSources - turn.answer.sources.length));
  const checked = await checkHits(newHits, turn.guardrails);
  turn.answer.sources.push(...checked.hits);
  const numbersById = new Map(turn.answer.sources.map(({ chunk_id }, index) => [chunk_id, index + 1]));
  return { verdicts: checked.verdicts, numbers: hits.flatMap(({ chunk_id }) => numbersById.get(chunk_id) ?? []) };
}
