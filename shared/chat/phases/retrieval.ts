import type { GuardrailVerdict } from "../../guardrails/types.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { readBeginnings } from "../../knowledge/search/read-beginnings.ts";
import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import type { StoredNote } from "../../memory/note-store.ts";
import type { RunEvent } from "../../runs/events.ts";
import { findInvestigationSteps } from "../attached-investigation.ts";
import { findFilePassages, type LongFile } from "../context/file-passages.ts";
import { checkNotes, worstResult } from "../guardrail-checks.ts";
import { canComplete, completeQuestion, findContext } from "../questions/complete-question.ts";
import { readFiles } from "../retrieval/read-files.ts";
import {
  findUnanswered,
  hasHits,
  interleave,
  isPlanned,
  type Outcomes,
  runSearches,
  type SearchedQuestion,
  searchRelated,
} from "../retrieval/run-searches.ts";
import { addSources, findNamedDocuments, toSource } from "../retrieval/search-sources.ts";
import { thinkingStep } from "../thinking.ts";
import type { RetrievalResult, Turn, TurnIncident } from "../turn.ts";
import type { Phase } from "./phase.ts";

/** Maximum number of sources in the first prompt. Tool calls can add more. */
const MAX_INITIAL_SOURCES = 12;

/**
 * Maximum number of sources in the first prompt if the question names documents: passages found by the search, then the
 * first passages of the documents.
 */
const MAX_NAMED_SOURCES = 24;

const MAX_FILE_SOURCES = 6;

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

/** Result of a search so far, which stays if the search fails. */
interface Found {
  notes: RetrievalResult["notes"];
  searchedQuestion: string;
  unansweredParts: readonly string[];
}

const nothingFound = (): Found => ({ notes: [], searchedQuestion: "", unansweredParts: [] });

/**
 * Searches for the question as a model completes it, or together with the questions before it if none can. The question as
 * typed is searched during the model's call, so that a complete one does not wait for a search after it.
 */
async function* searchQuestion(
  turn: Turn,
): AsyncGenerator<RunEvent, { readonly question: SearchedQuestion; readonly outcomes: Outcomes }> {
  const typed: SearchedQuestion = { text: turn.questionText, context: [] };
  const completing = completeQuestion(turn);
  // Planned queries are a call of a large model, which is worth to wait for the complete question.
  const first = canComplete(turn) && !isPlanned(turn) ? yield* runSearches(turn, typed) : null;
  const text = await completing;
  turn.signal.throwIfAborted();
  const question = text === null ? { ...typed, context: findContext(turn) } : { text, context: [] };
  if (first && text === typed.text) return { question, outcomes: first };
  const outcomes = yield* runSearches(turn, question);
  return { question, outcomes: first && !hasHits(outcomes) ? first : outcomes };
}

/** Checks the notes and searches files and knowledge. */
async function* retrieve(turn: Turn, longFiles: readonly LongFile[], found: Found): AsyncGenerator<RunEvent, void> {
  const { notes, verdicts } = await checkNotes(turn.attachedNotes, turn.guardrails);
  found.notes = notes;
  if (turn.run.tier === "QUICK" && !turn.question.documents) {
    verdicts.push(...(yield* searchFiles(turn, longFiles, turn.questionText)));
    yield* worstResult(turn.record, "retrieval", verdicts);
    return;
  }
  const { question, outcomes: direct } = yield* searchQuestion(turn);
  found.searchedQuestion = question.text;
  verdicts.push(...(yield* searchFiles(turn, longFiles, [...question.context.slice(0, 1), question.text].join("\n"))));
  const outcomes = hasHits(direct) ? direct : yield* searchRelated(turn, direct);
  const results = [...outcomes.values()];
  if (results.some(({ isDegraded }) => isDegraded)) yield wordsOnlyWarning;
  if (results.some(({ isRerankFailed }) => isRerankFailed)) yield notRerankedWarning;
  const hits = interleave(results.map((result) => result.hits));
  const beginnings = yield* readNamedDocuments(turn);
  const maxSources = turn.question.documents ? MAX_NAMED_SOURCES : MAX_INITIAL_SOURCES;
  const added = await addSources(turn, [...hits, ...beginnings], maxSources);
  verdicts.push(...added.verdicts);
  found.unansweredParts = findUnanswered(outcomes);
  yield* worstResult(turn.record, "retrieval", verdicts);
}

/** Checks the notes. If the check fails, none of them reaches the model, because an investigation can do without them. */
async function checkNotesOrOmit(turn: Turn): ReturnType<typeof checkNotes<StoredNote>> {
  try {
    return await checkNotes(turn.attachedNotes, turn.guardrails);
  } catch (error) {
    turn.signal.throwIfAborted();
    log.error("notes not checked", { message_id: turn.run.message_id, error });
    return { notes: [], verdicts: [] };
  }
}

/** Returns the incident that the thread of the question is about, or null. */
async function readThreadIncident(turn: Turn): Promise<TurnIncident | null> {
  if (turn.investigationId === null) return null;
  const { readInvestigation } = await import("../investigation/read-investigation.ts");
  return readInvestigation(turn, turn.investigationId);
}

/**
 * Phase that reads attached files, checks notes and searches for sources. If the search fails, the model answers
 * without sources and the user gets a warning; if the files cannot be read, the turn fails.
 */
export const retrieval: Phase<RetrievalResult> = {
  name: "retrieval",
  async *run(turn) {
    if (turn.isFinal) return;
    const steps = findInvestigationSteps(turn);
    if (steps) {
      const { notes, verdicts } = await checkNotesOrOmit(turn);
      yield* worstResult(turn.record, "retrieval", verdicts);
      const incident = yield* steps.readIncident(turn);
      return { ...nothingFound(), notes, files: turn.attached, hasFiles: turn.attached.length > 0, incident };
    }
    const found = nothingFound();
    const incident = await readThreadIncident(turn);
    const { files, longFiles } = yield* readFiles(turn);
    try {
      yield* retrieve(turn, longFiles, found);
    } catch (error) {
      turn.signal.throwIfAborted();
      log.error("knowledge search failed", { message_id: turn.run.message_id, error });
      yield {
        type: "preflight_warning",
        data: { code: "knowledge_unavailable", message: "The knowledge base could not be searched for this answer." },
      };
    }
    return { ...found, files, hasFiles: files.length > 0, incident };
  },
};
