import { isRetryableError } from "../../dynamodb/is-retryable-error.ts";
import { requiresApproval } from "../../governance/approvals/require-approval.ts";
import { getCurrentPolicy } from "../../governance/policy-store.ts";
import { narrowPolicy } from "../../guardrails/narrow-policy.ts";
import { now } from "../../lib/clock.ts";
import { retryUntil } from "../../lib/retry.ts";
import { listMemoriesForPrompt } from "../../memory/memory-store.ts";
import { listNotesForPrompt } from "../../memory/note-store.ts";
import { attachTools } from "../attached-tools.ts";
import { collectFiles } from "../context/attached-files.ts";
import { getTurnBudget } from "../context/context-budget.ts";
import { allMessages, loadHistory } from "../context/load-history.ts";
import { readHistory, untilPromptIsFull } from "../context/read-history.ts";
import type { PreflightResult } from "../turn.ts";
import type { Phase } from "./phase.ts";

/** Time in milliseconds during which failed reads of the context are retried. */
const CONTEXT_TIMEOUT_MS = 3_000;

/**
 * Phase that loads the context of a turn: earlier messages of its branch or thread, memories, notes, the tools of
 * servers, and the tenant's policy.
 */
export const preflight: Phase<PreflightResult> = {
  name: "preflight",
  async *run(turn) {
    const { principal, conversation } = turn;
    const isUser = principal.kind === "user";
    const budget = getTurnBudget(turn, turn.run.model);
    const readContext = () =>
      Promise.all([
        readHistory(principal, turn.question, untilPromptIsFull(budget, turn.run.model)),
        isUser
          ? listMemoriesForPrompt(principal, { conversationId: conversation.id, personaId: conversation.persona_id })
          : [],
        isUser ? listNotesForPrompt(principal, conversation.id) : [],
        getCurrentPolicy(principal),
        attachTools(turn),
      ]);
    // The question is stored already, so a client could not repeat the request after a failure without asking twice.
    const [messages, memories, attachedNotes, policy] = await retryUntil(
      readContext,
      (error) => !turn.signal.aborted && isRetryableError(error),
      now() + CONTEXT_TIMEOUT_MS,
    );
    const { banner } = policy;
    if (banner) yield { type: "preflight_warning", data: { code: "policy_banner", message: banner.text } };
    const keyGuardrails = isUser ? principal.apiKey?.guardrails : undefined;
    const guardrails = narrowPolicy(policy.guardrails, turn.persona?.guardrails, keyGuardrails);
    const loaded = await loadHistory(turn, messages, guardrails, budget);
    const canRemember = isUser && policy.memory.enabled && !conversation.temporary;
    const investigated = messages.thread?.messages.findLast((message) => message.investigation_id !== undefined);
    const investigationId = investigated?.investigation_id ?? null;
    const isAboutIncident = investigationId !== null || turn.run.investigation_id !== undefined;
    return {
      ...loaded,
      historyOrigins: [...new Set([...loaded.historyOrigins, ...(isAboutIncident ? ["alert"] : [])])],
      attached: collectFiles(turn.question, allMessages(messages)),
      attachedNotes,
      memories: canRemember ? memories : [],
      canRemember,
      suggestsQuestions: isUser && policy.follow_ups.enabled,
      guardrails,
      requiresApproval: requiresApproval(policy, "tool_execution"),
      riskLevel: policy.approvals.risk_level,
      investigationId,
    };
  },
};
