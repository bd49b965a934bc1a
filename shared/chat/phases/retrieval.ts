import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { checkNotes, worstResult } from "../guardrail-checks.ts";
import { planQueries } from "../plan-queries.ts";
import { questionText } from "../prompt.ts";
import { searchSources } from "../search-sources.ts";
import { thinkingStep } from "../thinking.ts";
import type { Phase, Turn } from "../turn.ts";

/** Maximum number of sources in the first prompt; tool calls can add more. */
const MAX_INITIAL_SOURCES = 12;

/**
 * Returns the search queries of a turn: none in QUICK, the question in THINKING, and up to five planned ones in higher
 * tiers.
 */
async function getQueries(turn: Turn): Promise<readonly string[]> {
  const question = questionText(turn);
  if (turn.run.tier === "QUICK") return [];
  return turn.run.tier === "THINKING" ? [question] : planQueries(turn, question);
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

async function* retrieve(turn: Turn): AsyncGenerator<RunEvent, void> {
  const unchecked = turn.notes;
  // If the check fails, no notes reach the model.
  turn.notes = [];
  const { notes, verdicts } = await checkNotes(unchecked, turn.guardrails);
  turn.notes = notes;
  let isDegraded = false;
  let isRerankFailed = false;
  for (const query of await getQueries(turn)) {
    yield thinkingStep(turn, "Searching the knowledge base", truncate(query, 200));
    const outcome = await searchSources(turn, query, MAX_INITIAL_SOURCES);
    yield outcome.event;
    verdicts.push(...outcome.verdicts);
    if (outcome.isDegraded && !isDegraded) yield wordsOnlyWarning;
    isDegraded ||= outcome.isDegraded;
    if (outcome.isRerankFailed && !isRerankFailed) yield notRerankedWarning;
    isRerankFailed ||= outcome.isRerankFailed;
  }
  yield* worstResult("retrieval", verdicts);
}

/** Checks notes and searches for sources. Best-effort: if the search fails, the model answers without sources. */
export const retrieval: Phase = {
  name: "retrieval",
  async *run(turn) {
    if (turn.isFinal) return;
    try {
      yield* retrieve(turn);
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
