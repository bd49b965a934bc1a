import type { Block } from "../../api/blocks.ts";
import type { KnowledgeHit } from "../../knowledge/search/search-knowledge.ts";
import { newId } from "../../lib/ids.ts";
import { truncate } from "../../lib/truncate.ts";
import { memorableFacts } from "../../memory/memorable-facts.ts";
import { rightsOf } from "../../tenancy/permissions.ts";
import { citedSources } from "../citations.ts";
import { questionText } from "../prompt.ts";
import { proposeMemories } from "../propose-memories.ts";
import type { Phase, Turn } from "../turn.ts";

/** An answer is worth keeping from this length on, put together from this many documents. */
const worthKeeping = { characters: 300, documents: 2 };

/** Characters of a proposed document's title and of its beginning. */
const titleAtMost = 120;
const textAtMost = 500;

/** The collection that most of the sources are from. */
function mostUsed(sources: readonly KnowledgeHit[]): string | null {
  const byCollection = Map.groupBy(sources, ({ collection_id }) => collection_id);
  const [most] = [...byCollection].sort(([, one], [, other]) => other.length - one.length);
  return most?.[0] ?? null;
}

/** An answer that put several documents together saves the next person the work: it may become a document itself. */
async function knowledgeProposal(turn: Turn): Promise<Block[]> {
  const { run, text, sources, principal } = turn;
  if (principal.kind !== "user" || (run.tier !== "RESEARCH" && run.tier !== "THOUGHT_PARTNER")) return [];
  const cited = citedSources(text, sources);
  const documents = new Set(cited.map(({ document_id }) => document_id)).size;
  if (text.length < worthKeeping.characters || documents < worthKeeping.documents) return [];
  if (!(await rightsOf(principal)).permissions.has("knowledge.create")) return [];
  const [question = ""] = questionText(turn).split("\n", 1);
  return [
    {
      type: "knowledge_proposal",
      proposal_id: newId(),
      collection_id: mostUsed(cited),
      title: truncate(question, titleAtMost),
      text: truncate(text, textAtMost),
    },
  ];
}

/** Offers to keep what was said: facts about the asker as memories, an answer of substance as knowledge. */
export const proposals: Phase = {
  name: "proposals",
  async *run(turn) {
    if (turn.settled) return;
    if (turn.remembers) yield* await proposeMemories(turn, memorableFacts(questionText(turn)));
    turn.extras.push(
      ...turn.proposals.map((proposal) => ({ type: "memory_proposal", ...proposal }) as const),
      ...(await knowledgeProposal(turn)),
    );
  },
};
