import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { findRelatedRelevance } from "../../knowledge/search/relevance.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { hasSubject, needsContext } from "../questions/needs-context.ts";
import { type ItemQuestion, splitEnumeration, splitQuestion } from "../questions/split-question.ts";
import { addContext, rewriteQuestion, type StandaloneQuestion } from "../questions/standalone-question.ts";
import { thinkingStep } from "../thinking.ts";
import type { Turn } from "../turn.ts";
import { planQueries } from "./plan-queries.ts";
import { type SearchOutcome, searchSources } from "./search-sources.ts";

/**
 * Maximum number of searches per question, including those for single items of a list in it ("prices of A, B and C").
 */
const MAX_SEARCHES = 8;

/** Maximum length in characters of a question that a model rewrites after the search found nothing. Longer questions are complete enough. */
const MAX_REWRITTEN_CHARACTERS = 300;

interface PlannedSearch {
  readonly query: string;
  /** True if the query is one part of the question. If nothing is found for it, the answer says so. */
  readonly isPart: boolean;
  /** For a search of one item of an enumeration: the search of the whole enumeration. */
  readonly parent?: PlannedSearch;
}

/** Returns the parts of a question. A part that refers to an earlier part is completed by rules. */
function toParts(question: string): string[] {
  const parts = splitQuestion(question);
  return parts.map((part, index) => {
    const earlier = parts.slice(0, index).map((text) => ({ role: "user" as const, text }));
    return index > 0 && needsContext(part, parts[index - 1]) ? addContext(part, earlier) : part;
  });
}

/**
 * Returns the searches for a question: its parts, or in the two highest tiers up to five planned queries. The question
 * as typed is added if rules have rewritten it, because that is a guess.
 */
async function planSearches(turn: Turn, { text, writtenBy }: StandaloneQuestion): Promise<readonly PlannedSearch[]> {
  const parts = toParts(text);
  const isPlanned = turn.run.tier === "RESEARCH" || turn.run.tier === "THOUGHT_PARTNER";
  const queries = isPlanned ? await planQueries(turn, text, parts) : parts;
  const searches = queries.map((query) => ({ query, isPart: parts.length > 1 && query !== text }));
  return writtenBy === "rules" && hasSubject(turn.questionText)
    ? [...searches, { query: turn.questionText, isPart: false }]
    : searches;
}

/**
 * Lets a model rewrite a question for which the search found nothing. Only in conversations with text that the user did
 * not write (`hasForeignMessages`), to which the question may refer, because the answer has to wait for the model.
 * @returns null if no different question results
 */
export async function findOtherMeaning(
  turn: Turn,
  { text, writtenBy }: StandaloneQuestion,
): Promise<StandaloneQuestion | null> {
  if (writtenBy !== "asker" || !turn.hasForeignMessages || text.length > MAX_REWRITTEN_CHARACTERS) return null;
  const rewritten = await rewriteQuestion(turn);
  return rewritten === null || rewritten === text ? null : { text: rewritten, writtenBy: "model" };
}

/**
 * Returns a search for each item of an enumeration that the hits do not cover: a name must have all its words in one
 * hit, other items half of them.
 */
function findUncoveredItems(parent: PlannedSearch, hits: readonly KnowledgeHit[]): PlannedSearch[] {
  const isCovered = ({ words, isName }: ItemQuestion) =>
    hits.some(({ matched_terms }) => {
      const count = words.filter((word) => matched_terms.includes(word)).length;
      return isName ? count === words.length : 2 * count >= words.length;
    });
  return splitEnumeration(parent.query)
    .filter((item) => !isCovered(item))
    .map(({ text }) => ({ query: text, isPart: true, parent }));
}

/** Merges results by rank: the first hits of all searches, then the second ones, so that each search is represented. */
export function interleave(results: readonly (readonly KnowledgeHit[])[]): KnowledgeHit[] {
  const longest = Math.max(0, ...results.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => results.flatMap((hits) => hits[place] ?? [])).flat();
}

/** Returns the parts of the question without hits, or none if no search has hits. */
export function findUnanswered(outcomes: Outcomes): string[] {
  const searches = [...outcomes.keys()];
  const isFound = (search: PlannedSearch): boolean =>
    (outcomes.get(search)?.hits.length ?? 0) > 0 || searches.some((item) => item.parent === search && isFound(item));
  if (!searches.some(isFound)) return [];
  const isTold = ({ parent }: PlannedSearch) => parent?.isPart === true && !isFound(parent);
  return searches.filter((search) => search.isPart && !isFound(search) && !isTold(search)).map(({ query }) => query);
}

export type Outcomes = ReadonlyMap<PlannedSearch, SearchOutcome>;

export const hasHits = (outcomes: Outcomes) => [...outcomes.values()].some(({ hits }) => hits.length > 0);

/** Searches the knowledge base for a question, then for items of its enumerations that the hits do not cover. */
export async function* runSearches(turn: Turn, question: StandaloneQuestion): AsyncGenerator<RunEvent, Outcomes> {
  const outcomes = new Map<PlannedSearch, SearchOutcome>();
  const runAll = async function* (searches: readonly PlannedSearch[]): AsyncGenerator<RunEvent, void> {
    yield* searches.map(({ query }) => thinkingStep(turn, "Searching the knowledge base", truncate(query, 200)));
    const found = await Promise.all(searches.map(({ query }) => searchSources(turn, query)));
    for (const [index, outcome] of found.entries()) {
      yield outcome.event;
      outcomes.set(searches[index] as PlannedSearch, outcome);
    }
  };
  const planned = await planSearches(turn, question);
  yield* runAll(planned);
  const items = planned.flatMap((entry) => findUncoveredItems(entry, outcomes.get(entry)?.hits ?? []));
  yield* runAll(items.slice(0, MAX_SEARCHES - planned.length));
  return outcomes;
}

/**
 * Repeats searches that found nothing with a lower minimum relevance. Only in conversations with text that the user did
 * not write (`hasForeignMessages`), where the question probably refers to that text in other words.
 */
export async function* searchRelated(turn: Turn, outcomes: Outcomes): AsyncGenerator<RunEvent, Outcomes> {
  const minRelevance = turn.hasForeignMessages ? findRelatedRelevance() : null;
  if (minRelevance === null) return outcomes;
  const search = async (planned: PlannedSearch) =>
    [planned, await searchSources(turn, planned.query, minRelevance)] as const;
  const related = new Map(await Promise.all([...outcomes.keys()].map(search)));
  yield* [...related.values()].filter(({ hits }) => hits.length > 0).map(({ event }) => event);
  return related;
}
