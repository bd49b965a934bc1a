import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import type { RunEvent } from "../../runs/events.ts";
import { checkedNotes, worstResult } from "../guardrail-checks.ts";
import { planQueries } from "../plan-queries.ts";
import { questionText } from "../prompt.ts";
import { searchSources } from "../search-sources.ts";
import { thinkingStep } from "../thinking.ts";
import type { Phase, Turn } from "../turn.ts";

/** Passages that reach the model at most before it asks for more. */
const sourcesAtMost = 12;

/** What to search for: nothing in QUICK, the question in THINKING, a plan of queries above that. */
async function queriesFor(turn: Turn): Promise<readonly string[]> {
  const question = questionText(turn);
  if (turn.run.tier === "QUICK") return [];
  return turn.run.tier === "THINKING" ? [question] : planQueries(turn, question);
}

async function* gather(turn: Turn): AsyncGenerator<RunEvent, void> {
  const unchecked = turn.notes;
  // The model is told of none where they cannot be checked.
  turn.notes = [];
  const { notes, verdicts } = await checkedNotes(unchecked);
  turn.notes = notes;
  for (const query of await queriesFor(turn)) {
    yield thinkingStep(turn, "Searching the knowledge", truncate(query, 200));
    const found = await searchSources(turn, query, sourcesAtMost);
    yield found.shown;
    verdicts.push(...found.verdicts);
  }
  yield* worstResult("retrieval", verdicts);
}

/** Looks for what may answer the question; an answer without sources is better than none. */
export const retrieval: Phase = {
  name: "retrieval",
  async *run(turn) {
    if (turn.settled) return;
    try {
      yield* gather(turn);
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
