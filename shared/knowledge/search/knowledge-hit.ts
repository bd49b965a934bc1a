import { now } from "../../lib/clock.ts";
import type { Language } from "../../lib/language/languages.ts";
import { extractTerms } from "../../lib/language/terms.ts";
import { findSegment, type PassageSegment, toPassageSegments } from "../index/passage-segments.ts";
import type { StoredPassage } from "../index/passage-store.ts";
import { toRelevance } from "./compare-vectors.ts";
import { extractSnippet } from "./extract-snippet.ts";
import { findHighlights, type Highlight } from "./find-highlights.ts";
import type { FusedPassage } from "./fuse-rankings.ts";
import type { ReadableDocument } from "./readable-documents.ts";
import type { QueryMatcher } from "./relevance.ts";

/** Scores of a passage in the stages of a search; null if the passage was not found in that stage. */
interface StageScores {
  /** BM25 score of the words. */
  readonly words: number | null;
  /** Similarity of question and passage by their vectors. */
  readonly meaning: number | null;
  /** Combination of both scores, each scaled relative to the other passages (`createFusion`). */
  readonly fused: number;
  /** Score of the reranking provider, on a scale that depends on its model; null without reranking. */
  readonly rerank: number | null;
}

export interface KnowledgeHit {
  /** `web` for a web page, `file` for an attached file; absent for documents of collections. */
  readonly source_type?: "web" | "file";
  readonly document_id: string;
  /** Document id and position of the passage in the document: `<id>.<position>`. */
  readonly chunk_id: string;
  /** Position of the passage in the document, from 0. */
  readonly passage: number;
  /** Page of the first highlight of the snippet, from 1; null in documents without pages. */
  readonly page: number | null;
  /** Headings above the first highlight, outermost first; null if there are none. */
  readonly heading: string | null;
  readonly collection_id: string;
  readonly title: string;
  readonly uri: string | null;
  /** When the version of the document was added; absent for others. */
  readonly updated_at?: string;
  /** True if the version is older than its collection permits. */
  readonly is_outdated?: boolean;
  /** Instructions of the collection for answers that use the passage. */
  readonly instructions?: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly language: Language;
  /** Verbatim part of `text` that matches the query best. */
  readonly snippet: string;
  readonly highlights: Highlight[];
  /** Normalized words of the query that the passage contains. */
  readonly matched_terms: string[];
  /** Relevance from 0 to 1 by words (`QueryMatcher`), or one derived from the similarity if it is higher. */
  readonly relevance: number;
  /** Higher is better. Only comparable within one response. */
  readonly score: number;
  readonly scores: StageScores;
  /** Text of the complete passage. */
  readonly text: string;
  /** Parts of the passage by page and headings. */
  readonly segments?: readonly PassageSegment[];
}

/** Passage that the reader may read and that matches the filters of a query. */
export interface Candidate {
  readonly ranked: FusedPassage;
  readonly passage: StoredPassage;
  readonly document: ReadableDocument;
  readonly rerankScore?: number;
}

const round = (score: number) => Math.round(score * 10_000) / 10_000;

const toStageScore = (score: number | undefined) => (score === undefined ? null : round(score));

const DAY_MS = 86_400_000;

/** Returns what the age of a version and its collection say about the use of a passage. */
function toGuidance({ placement, updated_at, collection: { instructions, max_age_days } }: ReadableDocument) {
  const addedAt = placement?.added_at ?? updated_at;
  const isOutdated = max_age_days !== null && now() - Date.parse(addedAt) >= max_age_days * DAY_MS;
  return { updated_at: addedAt, is_outdated: isOutdated, ...(instructions !== "" && { instructions }) };
}

/**
 * Converts a passage to a search result, with snippet, highlights and relevance.
 * @param text text of the query
 */
export function toHit(
  text: string,
  matcher: QueryMatcher,
  { ranked, passage, document, rerankScore }: Candidate,
): KnowledgeHit {
  const { placement, uri, collection_id, metadata } = document;
  const { language = "en", title = document.title } = placement ?? {};
  const queryTerms = extractTerms(text, language);
  const terms = {
    title: new Set([title, passage.headings].flatMap((text) => extractTerms(text, language))),
    text: extractTerms(passage.text, language),
  };
  const match = matcher.match(terms, language);
  const snippet = extractSnippet(passage.text, new Map(queryTerms.map((term) => [term, term.length])), language);
  const segments = toPassageSegments(passage);
  const highlights = findHighlights(snippet, new Set(queryTerms), language);
  const position = Math.max(0, passage.text.indexOf(snippet)) + (highlights[0]?.start ?? 0);
  const { page = null, heading = null } = findSegment(segments, position) ?? {};
  return {
    document_id: document.id,
    chunk_id: `${document.id}.${passage.place}`,
    passage: passage.place,
    page,
    heading,
    collection_id,
    title,
    uri,
    ...toGuidance(document),
    metadata,
    language,
    snippet,
    highlights,
    matched_terms: [...match.words],
    relevance: Math.max(match.relevance, toRelevance(ranked.similarity)),
    score: round(rerankScore ?? ranked.score),
    scores: {
      words: toStageScore(ranked.scores[0]),
      meaning: toStageScore(ranked.scores[1]),
      fused: round(ranked.score),
      rerank: toStageScore(rerankScore),
    },
    text: passage.text,
    segments,
  };
}
