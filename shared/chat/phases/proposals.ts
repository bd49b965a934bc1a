import type { Block } from "../../api/blocks.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { newId } from "../../lib/ids.ts";
import { truncate } from "../../lib/truncate.ts";
import { findCandidates } from "../../memory/extract-memorable-facts.ts";
import { listProposedMemories } from "../../memory/memory-store.ts";
import { resolveAccessRights } from "../../tenancy/access-rights.ts";
import { citedSources } from "../citations.ts";
import { extractMemories } from "../extract-memories.ts";
import { nameByModel } from "../name-conversation.ts";
import { proposeMemories } from "../propose-memories.ts";
import { hasReadUntrusted } from "../read-origins.ts";
import { suggestQuestions } from "../suggest-questions.ts";
import type { Turn } from "../turn.ts";
import type { Phase } from "./phase.ts";

/** Minimum length, and minimum number of cited documents, of an answer that is proposed as a new document. */
const MIN_ANSWER_CHARACTERS = 300;
const MIN_CITED_DOCUMENTS = 2;

const MAX_TITLE_CHARACTERS = 120;

const MAX_EXCERPT_CHARACTERS = 500;

/** Returns the collection to which most of the passages belong, or null without passages. */
function findMainCollection(sources: readonly KnowledgeHit[]): string | null {
  const byCollection = Map.groupBy(sources, ({ collection_id }) => collection_id);
  const [largest] = [...byCollection].sort(([, a], [, b]) => b.length - a.length);
  return largest?.[0] ?? null;
}

/**
 * Proposes to store an answer as a document in the knowledge base. Only for long answers that cite several documents,
 * in the two highest tiers, and if the user may create documents.
 */
async function knowledgeProposal(turn: Turn): Promise<Block[]> {
  const { run, principal } = turn;
  const { text, sources } = turn.answer;
  if (principal.kind !== "user" || (run.tier !== "RESEARCH" && run.tier !== "THOUGHT_PARTNER")) return [];
  const cited = citedSources(text, sources);
  const documentCount = new Set(cited.map(({ document_id }) => document_id)).size;
  if (text.length < MIN_ANSWER_CHARACTERS || documentCount < MIN_CITED_DOCUMENTS) return [];
  if (!(await resolveAccessRights(principal)).permissions.has("knowledge.create")) return [];
  const [question = ""] = turn.questionText.split("\n", 1);
  return [
    {
      type: "knowledge_proposal",
      proposal_id: newId(),
      collection_id: findMainCollection(cited),
      title: truncate(question, MAX_TITLE_CHARACTERS),
      text: truncate(text, MAX_EXCERPT_CHARACTERS),
    },
  ];
}

/**
 * Phase after the answer: proposes changes of memories and a new document, suggests further questions, and names a new
 * conversation.
 */
export const proposals: Phase = {
  name: "proposals",
  async *run(turn) {
    if (turn.isFinal) return;
    const tasks = Promise.all([nameByModel(turn), suggestQuestions(turn)]);
    // Most questions state nothing about their writer, and cost neither a read nor a model call.
    // A person in a crisis is not asked what to remember of it.
    if (turn.canRemember && !turn.isInCrisis && findCandidates(turn.questionText).length > 0) {
      const known = [...turn.memories, ...(await listProposedMemories(turn.principal))];
      const changes = await extractMemories(turn, known);
      yield* await proposeMemories(turn, changes, known, hasReadUntrusted(turn));
    }
    turn.answer.extras.push(
      ...turn.answer.proposals.map((proposal) => ({ type: "memory_proposal", ...proposal }) as const),
      ...(await knowledgeProposal(turn)),
    );
    await tasks;
  },
};
