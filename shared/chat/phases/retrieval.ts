import { log } from "../../log.ts";
import { type KnowledgeHit, searchKnowledge } from "../../search/search-knowledge.ts";
import { markdownOf } from "../blocks.ts";
import type { RunEvent, Source } from "../events.ts";
import { type Guardrail, loadGuardrail, type Verdict } from "../guardrails/guardrail.ts";
import { planQueries } from "../plan-queries.ts";
import { thinkingStep } from "../thinking.ts";
import type { Phase, Turn } from "../turn.ts";
import { guardrailResult } from "./input-check.ts";

/** Passages that one search gives, and that reach the model at most. */
const perSearch = 6;
const sourcesAtMost = 12;

/** A hit as it is shown: which passage, never all of it. */
function sourceOf({ chunk_id, title, collection_id, uri, score, snippet }: KnowledgeHit): Source {
  return { source_id: chunk_id, source_type: "document", title, collection_id, uri, score, snippet };
}

/** What to search for: nothing in QUICK, the question in THINKING, a plan of queries above that. */
async function queriesFor(turn: Turn): Promise<readonly string[]> {
  const question = markdownOf(turn.question.content);
  if (turn.run.tier === "QUICK") return [];
  return turn.run.tier === "THINKING" ? [question] : planQueries(turn, question);
}

/** A persona that knows certain collections knows nothing else. */
function collectionsOf({ persona }: Turn): readonly string[] | undefined {
  return persona && persona.collection_ids.length > 0 ? persona.collection_ids : undefined;
}

async function* search(
  turn: Turn,
  text: string,
  guardrail: Guardrail,
  verdicts: Verdict[],
): AsyncGenerator<RunEvent, void> {
  yield thinkingStep(turn, "Searching the knowledge", text.slice(0, 200));
  const hits = await searchKnowledge(turn.principal, { text, collectionIds: collectionsOf(turn), limit: perSearch });
  yield { type: "search_transparency", data: { query: text, sources: hits.map(sourceOf) } };
  const known = new Set(turn.sources.map(({ chunk_id }) => chunk_id));
  const fresh = hits.filter(({ chunk_id }) => !known.has(chunk_id));
  for (const hit of fresh.slice(0, sourcesAtMost - turn.sources.length)) {
    const verdict = await guardrail.check({ stage: "retrieval", text: hit.text });
    verdicts.push(verdict);
    // What speaks to the assistant instead of informing it is kept from it, and from the citations.
    if (verdict.action === "allow") turn.sources.push(hit);
    else if (verdict.action === "redact") turn.sources.push({ ...hit, text: verdict.text, snippet: "" });
  }
}

/** The worst of what was found in the passages of one answer. */
function worst(verdicts: readonly Verdict[]): Pick<Verdict, "action" | "categories"> {
  const byAction = (action: Verdict["action"]) => verdicts.find((verdict) => verdict.action === action);
  return byAction("block") ?? byAction("redact") ?? { action: "allow", categories: [] };
}

/** Looks for what may answer the question; an answer without sources is better than none. */
export const retrieval: Phase = {
  name: "retrieval",
  async *run(turn) {
    if (turn.settled) return;
    try {
      const guardrail = await loadGuardrail();
      const verdicts: Verdict[] = [];
      for (const query of await queriesFor(turn)) yield* search(turn, query, guardrail, verdicts);
      if (verdicts.length > 0) yield guardrailResult("retrieval", worst(verdicts));
    } catch (error) {
      turn.signal.throwIfAborted();
      log.error("knowledge unavailable", { message_id: turn.run.message_id, error });
      yield {
        type: "preflight_warning",
        data: { code: "knowledge_unavailable", message: "The knowledge could not be searched for this answer." },
      };
    }
  },
};
