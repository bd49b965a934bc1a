import type { GuardrailVerdict } from "../../guardrails/types.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { readBeginnings } from "../../knowledge/search/read-beginnings.ts";
import { findRelatedRelevance } from "../../knowledge/search/relevance.ts";
import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { findInvestigationSteps } from "../attached-investigation.ts";
import { findFilePassages, type LongFile } from "../context/file-passages.ts";
import { checkNotes, worstResult } from "../guardrail-checks.ts";
import { planQueries } from "../plan-queries.ts";
import { hasSubject, needsContext } from "../questions/needs-context.ts";
import { type ItemQuestion, splitEnumeration, splitQuestion } from "../questions/split-question.ts";
import {
  addContext,
  rewriteQuestion,
  type StandaloneQuestion,
  toStandaloneQuestion,
} from "../questions/standalone-question.ts";
import { readFiles } from "../read-files.ts";
import { addSources, findNamedDocuments, type SearchOutcome, searchSources, toSource } from "../search-sources.ts";
import { thinkingStep } from "../thinking.ts";
import type { Phase, Turn } from "../turn.ts";

/** Maximum number of sources in the first prompt. Tool calls can add more. */
const MAX_INITIAL_SOURCES = 12;

/**
 * Maximum number of sources in the first prompt if the question names documents: passages found by the search, then the
 * first passages of the documents.
 */
const MAX_NAMED_SOURCES = 24;

const MAX_FILE_SOURCES = 6;

/** Maximum number of searches per question, including those for items of enumerations. */
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
async function findOtherMeaning(
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
function interleave(results: readonly (readonly KnowledgeHit[])[]): KnowledgeHit[] {
  const longest = Math.max(0, ...results.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) => results.flatMap((hits) => hits[place] ?? [])).flat();
}

const wordsOnlyWarning: RunEvent = {
  type: "preflight_warning",
  data: {
    code: "knowledge_words_only",
    message: "The knowledge base was searched by words only, because the search by meaning is not available.",
  },
};

const notRerankedWarning: RunEvent = {
  type: "preflight_warning",
  data: {
    code: "knowledge_not_reranked",
    message: "The search results were not ranked again, because the reranking is not available.",
  },
};

/** Returns the parts of the question without hits, or none if no search has hits. */
function findUnanswered(outcomes: Outcomes): string[] {
  const searches = [...outcomes.keys()];
  const isFound = (search: PlannedSearch): boolean =>
    (outcomes.get(search)?.hits.length ?? 0) > 0 || searches.some((item) => item.parent === search && isFound(item));
  if (!searches.some(isFound)) return [];
  const isTold = ({ parent }: PlannedSearch) => parent?.isPart === true && !isFound(parent);
  return searches.filter((search) => search.isPart && !isFound(search) && !isTold(search)).map(({ query }) => query);
}

/** Searches files of which the prompt contains only the beginning, and adds the passages to the sources of the turn. */
async function* searchFiles(
  turn: Turn,
  files: readonly LongFile[],
  query: string,
): AsyncGenerator<RunEvent, readonly GuardrailVerdict[]> {
  if (files.length === 0) return [];
  const hits = findFilePassages(files, query, MAX_FILE_SOURCES);
  yield thinkingStep(turn, "Searching the attached files", truncate(query, 200));
  yield { type: "search_transparency", data: { query, sources: hits.map(toSource) } };
  return (await addSources(turn, hits, MAX_FILE_SOURCES)).verdicts;
}

type Outcomes = ReadonlyMap<PlannedSearch, SearchOutcome>;

const hasHits = (outcomes: Outcomes) => [...outcomes.values()].some(({ hits }) => hits.length > 0);

/** Searches the knowledge base for a question, then for items of its enumerations that the hits do not cover. */
async function* runSearches(turn: Turn, question: StandaloneQuestion): AsyncGenerator<RunEvent, Outcomes> {
  turn.searchedQuestion = question.text;
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

/** Returns the first passages of the documents that the question names and that the user may read. */
async function* readNamedDocuments(turn: Turn): AsyncGenerator<RunEvent, readonly KnowledgeHit[]> {
  const documents = await findNamedDocuments(turn);
  if (documents === null) return [];
  const query = documents.map(({ title }) => title).join(", ");
  yield thinkingStep(turn, "Reading the named documents", truncate(query, 200));
  const hits = await readBeginnings(turn.principal, documents, MAX_NAMED_SOURCES);
  yield { type: "search_transparency", data: { query, sources: hits.map(toSource) } };
  return hits;
}

/**
 * Repeats searches that found nothing with a lower minimum relevance. Only in conversations with text that the user did
 * not write (`hasForeignMessages`), where the question probably refers to that text in other words.
 */
async function* searchRelated(turn: Turn, outcomes: Outcomes): AsyncGenerator<RunEvent, Outcomes> {
  const minRelevance = turn.hasForeignMessages ? findRelatedRelevance() : null;
  if (minRelevance === null) return outcomes;
  const search = async (planned: PlannedSearch) =>
    [planned, await searchSources(turn, planned.query, minRelevance)] as const;
  const related = new Map(await Promise.all([...outcomes.keys()].map(search)));
  yield* [...related.values()].filter(({ hits }) => hits.length > 0).map(({ event }) => event);
  return related;
}

async function* retrieve(turn: Turn, longFiles: readonly LongFile[]): AsyncGenerator<RunEvent, void> {
  const unchecked = turn.notes;
  // If the check fails, no notes reach the model.
  turn.notes = [];
  const { notes, verdicts } = await checkNotes(unchecked, turn.guardrails);
  turn.notes = notes;
  if (turn.run.tier === "QUICK" && !turn.question.documents) {
    verdicts.push(...(yield* searchFiles(turn, longFiles, turn.questionText)));
    yield* worstResult("retrieval", verdicts);
    return;
  }
  const question = await toStandaloneQuestion(turn);
  verdicts.push(...(yield* searchFiles(turn, longFiles, question.text)));
  let outcomes = yield* runSearches(turn, question);
  const other = hasHits(outcomes) ? null : await findOtherMeaning(turn, question);
  if (other) outcomes = yield* runSearches(turn, other);
  if (!hasHits(outcomes)) outcomes = yield* searchRelated(turn, outcomes);
  const results = [...outcomes.values()];
  if (results.some(({ isDegraded }) => isDegraded)) yield wordsOnlyWarning;
  if (results.some(({ isRerankFailed }) => isRerankFailed)) yield notRerankedWarning;
  const found = interleave(results.map(({ hits }) => hits));
  const beginnings = yield* readNamedDocuments(turn);
  const maxSources = turn.question.documents ? MAX_NAMED_SOURCES : MAX_INITIAL_SOURCES;
  const added = await addSources(turn, [...found, ...beginnings], maxSources);
  verdicts.push(...added.verdicts);
  turn.unansweredParts = findUnanswered(outcomes);
  yield* worstResult("retrieval", verdicts);
}

/**
 * Phase that reads attached files, checks notes and searches for sources. If the search fails, the model answers
 * without sources and the user gets a warning; if the files cannot be read, the turn fails.
 */
export const retrieval: Phase = {
  name: "retrieval",
  async *run(turn) {
    if (turn.isFinal) return;
    const steps = findInvestigationSteps(turn);
    if (steps) {
      yield* steps.readIncident(turn);
      return;
    }
    const longFiles = yield* readFiles(turn);
    try {
      yield* retrieve(turn, longFiles);
    } catch (error) {
      turn.signal.throwIfAborted();
      log.error("knowledge search failed", { message_id: turn.run.message_id, error });
      yield {
        type: "preflight_warning",
        data: { code: "knowledge_unavailable", message: "The knowledge base could not be searched for this answer." },
      };
    }
  },
};
