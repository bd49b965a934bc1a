import { toContentWords } from "../../knowledge/search/content-words.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { findRelatedRelevance } from "../../knowledge/search/relevance.ts";
import { splitQuestion } from "../../knowledge/search/split-question.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { splitEnumeration } from "../questions/split-enumeration.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn } from "../turn.ts";
import { planQueries } from "./plan-queries.ts";
import { type SearchOutcome, searchSources } from "./search-sources.ts";

/**
 * Maximum number of searches per question, including those for single items of a list in it ("prices of A, B and C").
 */
const MAX_SEARCHES = 8;

/** Minimum relevance of a part of a question of which another part or the whole was found. */
const MIN_PART_RELEVANCE = 0.1;

/** Question to search for. */
export interface SearchedQuestion {
  readonly text: string;
  /** Earlier questions that it continues, latest first; empty if it is understandable alone. */
  readonly context: readonly string[];
}

interface PlannedSearch {
  readonly query: string;
  readonly context: readonly string[];
  /** True if the query is one part of the question. If nothing is found for it, the answer says so. */
  readonly isPart: boolean;
  /** For a search of one item of an enumeration: the search of the whole enumeration. */
  readonly parent?: PlannedSearch;
}

/** Returns true if a model plans the queries, in the two highest tiers. */
export const isPlanned = ({ run }: Turn): boolean => run.tier === "RESEARCH" || run.tier === "THOUGHT_PARTNER";

/**
 * Returns the searches for a question: the whole question and each of its parts, or up to five planned queries. The whole
 * question finds what its parts say together; a part finds what the other words of the question would hide.
 */
async function planSearches(turn: Turn, { text, context }: SearchedQuestion): Promise<readonly PlannedSearch[]> {
  const parts = splitQuestion(text);
  const queries = isPlanned(turn) ? await planQueries(turn, text, parts) : [...new Set([text, ...parts])];
  return queries.map((query) => ({
    query,
    context: query === text ? context : [],
    isPart: parts.length > 1 && query !== text,
  }));
}

/** Returns true if one hit contains all of the words, or at least a share of them. */
const isCovered = (words: readonly string[], hits: readonly KnowledgeHit[], minShare = 0.5) =>
  hits.some(
    ({ matched_terms }) => words.filter((word) => matched_terms.includes(word)).length >= minShare * words.length,
  );

/**
 * Returns a search for each item of an enumeration that the hits do not cover: a name must have all its words in one
 * hit, other items half of them.
 */
function findUncoveredItems(parent: PlannedSearch, hits: readonly KnowledgeHit[]): PlannedSearch[] {
  return splitEnumeration(parent.query)
    .filter(({ words, isName }) => !isCovered(words, hits, isName ? 1 : 0.5))
    .map(({ text }) => ({ query: text, context: [], isPart: true, parent }));
}

/** Merges results by rank: the first hits of all searches, then the second ones, so that each search is represented. */
export function interleave(results: readonly (readonly KnowledgeHit[])[]): KnowledgeHit[] {
  const longest = Math.max(0, ...results.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => results.flatMap((hits) => hits[place] ?? [])).flat();
}

/** Returns the parts of the question without hits of their own or of the other searches, or none if no search has hits. */
export function findUnanswered(outcomes: Outcomes): string[] {
  const searches = [...outcomes.keys()];
  const hits = [...outcomes.values()].flatMap((outcome) => outcome.hits);
  const isFound = (search: PlannedSearch): boolean =>
    (outcomes.get(search)?.hits.length ?? 0) > 0 || searches.some((item) => item.parent === search && isFound(item));
  if (hits.length === 0) return [];
  const isTold = ({ parent }: PlannedSearch) => parent?.isPart === true && !isFound(parent);
  const isInHits = ({ query }: PlannedSearch) =>
    isCovered(
      toContentWords(query, detectLanguage(query)).map(({ word }) => word),
      hits,
    );
  return searches
    .filter((search) => search.isPart && !isFound(search) && !isTold(search) && !isInHits(search))
    .map(({ query }) => query);
}

export type Outcomes = ReadonlyMap<PlannedSearch, SearchOutcome>;

export const hasHits = (outcomes: Outcomes) => [...outcomes.values()].some(({ hits }) => hits.length > 0);

/** Searches the knowledge base for a question, then for items of its enumerations that the hits do not cover. */
export async function* runSearches(turn: Turn, question: SearchedQuestion): AsyncGenerator<RunEvent, Outcomes> {
  const outcomes = new Map<PlannedSearch, SearchOutcome>();
  const runAll = async function* (
    searches: readonly PlannedSearch[],
    minRelevance?: number,
  ): AsyncGenerator<RunEvent, void> {
    yield* searches.map(({ query }) => thinkingStep(turn, "Searching the knowledge base", truncate(query, 200)));
    const found = await Promise.all(searches.map((search) => searchSources(turn, search, minRelevance)));
    for (const [index, outcome] of found.entries()) {
      yield outcome.event;
      outcomes.set(searches[index] as PlannedSearch, outcome);
    }
  };
  const planned = await planSearches(turn, question);
  yield* runAll(planned);
  const split = planned.length > 1 ? planned.filter(({ isPart }) => isPart) : planned;
  const items = split.flatMap((entry) => findUncoveredItems(entry, outcomes.get(entry)?.hits ?? []));
  yield* runAll(items.slice(0, Math.max(0, MAX_SEARCHES - planned.length)));
  // A question about several things, of which the knowledge has one, is probably about it with the others, too.
  const relatedRelevance = findRelatedRelevance();
  if (planned.length > 1 && relatedRelevance !== null) {
    const missed = planned.filter((search) => outcomes.get(search)?.hits.length === 0);
    yield* hasHits(outcomes)
      ? runAll(
          missed.filter(({ isPart }) => isPart),
          MIN_PART_RELEVANCE,
        )
      : runAll(missed.slice(0, 1), relatedRelevance);
  }
  return outcomes;
}

/**
 * Repeats searches that found nothing with a lower minimum relevance. Only in conversations with text that the user did
 * not write (`historyOrigins`), where the question probably refers to that text in other words.
 */
export async function* searchRelated(turn: Turn, outcomes: Outcomes): AsyncGenerator<RunEvent, Outcomes> {
  const minRelevance = turn.historyOrigins.length > 0 ? findRelatedRelevance() : null;
  if (minRelevance === null) return outcomes;
  const search = async (planned: PlannedSearch) => [planned, await searchSources(turn, planned, minRelevance)] as const;
  const related = new Map(await Promise.all([...outcomes.keys()].map(search)));
  yield* [...related.values()].filter(({ hits }) => hits.length > 0).map(({ event }) => event);
  return related;
}
