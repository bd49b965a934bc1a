import type { ContextPassage } from "../../api/evaluations/test-items.ts";
import { getCurrentPolicy } from "../../governance/policy-store.ts";
import { narrowPolicy } from "../../guardrails/narrow-policy.ts";
import type { KnowledgeHit } from "../../knowledge/search/knowledge-hit.ts";
import { sha256 } from "../../lib/hash.ts";
import { attachTools } from "../attached-tools.ts";
import type { ContextFile } from "../context/attached-files.ts";
import { getTurnBudget } from "../context/context-budget.ts";
import { loadHistory } from "../context/load-history.ts";
import { checkNotes, worstResult } from "../guardrail-checks.ts";
import type { Phase } from "../phases/phase.ts";
import { retrieval } from "../phases/retrieval.ts";
import { addSources, toWebSource } from "../retrieval/search-sources.ts";
import type { PreflightResult, RetrievalResult } from "../turn.ts";
import type { Trial } from "./trial-input.ts";

/** Phase that takes the conversation from the trial. The user's memories and notes are no part of it. */
export const trialPreflight = ({ history }: Trial): Phase<PreflightResult> => ({
  name: "preflight",
  async *run(turn) {
    const [policy] = await Promise.all([getCurrentPolicy(turn.principal), attachTools(turn)]);
    const guardrails = narrowPolicy(policy.guardrails, turn.persona?.guardrails, undefined);
    const stored = { main: history, threads: new Map(), thread: null, isCut: false, readOlder: async () => [] };
    return {
      ...(await loadHistory(turn, stored, guardrails, getTurnBudget(turn, turn.run.model))),
      attached: [],
      attachedNotes: [],
      memories: [],
      canRemember: false,
      suggestsQuestions: false,
      guardrails,
      requiresApproval: false,
      riskLevel: policy.approvals.risk_level,
      investigationId: null,
    };
  },
});

/** Converts a recorded passage to a hit of a search. */
function toHit({ title, text, uri, document_id, collection_id }: ContextPassage): KnowledgeHit {
  const source = { ...toWebSource({ url: uri ?? "", title, text }), uri };
  if (document_id === null || collection_id === null) return source;
  const { source_type: _, ...hit } = source;
  return { ...hit, document_id, collection_id, chunk_id: `${document_id}.${sha256(text)}` };
}

const toFile = (name: string, text: string): ContextFile => ({
  ...{ id: sha256(`${name} ${text}`), file_name: name, kind: "file", media_type: "text/plain" },
  ...{ size: Buffer.byteLength(text), isEarlier: false, text, characters: text.length },
});

/** Phase that takes files from the trial, and passages, too, if they are recorded; otherwise it searches. */
export const trialRetrieval = ({ context, hasRecordedPassages }: Trial): Phase<RetrievalResult> => ({
  name: "retrieval",
  async *run(turn) {
    if (turn.isFinal) return;
    const texts = context.files.map(({ name, text }) => ({ title: name, body: text }));
    const { notes, verdicts } = await checkNotes(texts, turn.guardrails);
    const files = notes.map(({ title, body }) => toFile(title, body));
    const ofFiles = { files, hasFiles: files.length > 0 };
    if (!hasRecordedPassages || context.passages === null) {
      yield* worstResult(turn.record, "retrieval", verdicts);
      const found = yield* retrieval.run(turn);
      return found && { ...found, ...ofFiles };
    }
    const added = await addSources(turn, context.passages.map(toHit), context.passages.length);
    yield* worstResult(turn.record, "retrieval", [...verdicts, ...added.verdicts]);
    return { ...ofFiles, notes: [], searchedQuestion: turn.questionText, unansweredParts: [], incident: null };
  },
});
