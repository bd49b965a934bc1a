import { defaultGuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { blocksToMarkdown } from "../conversations/markdown-blocks.ts";
import { getCanary } from "../guardrails/canary.ts";
import { now } from "../lib/clock.ts";
import { emptyHistory } from "./context/history-messages.ts";
import type { Turn } from "./turn.ts";

/** Returns a turn before its first phase. */
export function newTurn(
  request: Pick<Turn, "principal" | "conversation" | "question" | "run" | "persona" | "signal">,
): Turn {
  return {
    ...request,
    canary: getCanary(`${request.principal.tenantId} ${request.conversation.id}`),
    startedAt: now(),
    endsAt: Number.POSITIVE_INFINITY,
    history: emptyHistory,
    historyOrigins: [],
    attached: [],
    attachedNotes: [],
    memories: [],
    canRemember: true,
    suggestsQuestions: false,
    guardrails: defaultGuardrailPolicy,
    requiresApproval: false,
    riskLevel: "medium",
    investigationId: null,
    questionText: blocksToMarkdown(request.question.content),
    isInCrisis: false,
    isFinal: false,
    files: [],
    hasFiles: false,
    notes: [],
    searchedQuestion: "",
    unansweredParts: [],
    incident: null,
    blockCount: 0,
    answer: {
      sources: [],
      prompt: [],
      recalled: "",
      addedOrigins: [],
      historyTokens: null,
      promptTokens: null,
      summaryUntilId: null,
      contextScale: 1,
      modelId: request.run.model,
      text: "",
      rounds: 0,
      pendingToolCalls: null,
      toolDecision: null,
      longResults: null,
      redactions: [],
      redactedFormats: [],
      isHeld: false,
      isCut: false,
      isWithheld: false,
      proposals: [],
      extras: [],
    },
    record: {
      usage: undefined,
      checks: [],
      thinking: { steps: 0, startedAt: null },
      timings: [],
      toolCalls: [],
      operations: [],
      firstTokenAt: null,
    },
  };
}
