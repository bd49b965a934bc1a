import type {
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { Block } from "../api/blocks.ts";
import type { MessageCheck } from "../api/conversations/messages.ts";
import { defaultGuardrailPolicy, type GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { RiskLevel } from "../api/governance/policy.ts";
import type { Memory } from "../api/memory/memories.ts";
import type { QuestionAnswer } from "../api/tools/questions.ts";
import type { ChatPrincipal } from "../auth/principal.ts";
import type { StoredConversation } from "../conversations/conversation-store.ts";
import type { StoredMessage } from "../conversations/message-store.ts";
import { getCanary } from "../guardrails/canary.ts";
import type { Finding } from "../guardrails/types.ts";
import type { KnowledgeHit } from "../knowledge/search/knowledge-hit.ts";
import { now } from "../lib/clock.ts";
import type { StoredMemory } from "../memory/memory-store.ts";
import type { StoredNote } from "../memory/note-store.ts";
import type { StoredPersona } from "../personas/persona-store.ts";
import type { OperationTiming, PhaseTiming, RunEvent, ToolCallTiming } from "../runs/events.ts";
import type { StoredRun } from "../runs/run-store.ts";
import type { ContextFile } from "./context/attached-files.ts";
import { emptyHistory, type HistoryMessages } from "./context/history-messages.ts";

export interface MemoryProposal {
  readonly memory_id: string;
  readonly text: string;
  readonly scope: Memory["scope"];
  readonly category: Memory["category"];
  readonly read_untrusted?: boolean;
  readonly replaces?: NonNullable<Memory["replaces"]>;
}

/** Incident that the question asks to investigate, or that its thread is about. */
export interface TurnIncident {
  /** Section of the prompt that quotes the observations about the incident. */
  readonly section: string;
  /**
   * Set if the turn investigates the incident; null if it answers a later question about it. `maxTokens` is the token
   * budget.
   */
  readonly investigation: { readonly id: string; readonly maxTokens: number } | null;
}

/** State of answering one question. The phases read and update it in sequence; `turn-state.ts` serializes it. */
export interface Turn {
  readonly principal: ChatPrincipal;
  readonly conversation: StoredConversation;
  readonly question: StoredMessage;
  readonly run: StoredRun;
  readonly persona: StoredPersona | null;
  /** Aborted with a `RunEnded` when the run must end early. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds at which the signal is aborted, shortly before the function reaches its timeout. */
  endsAt: number;

  /** Messages before the question, as parts of the prompt. */
  history: HistoryMessages;
  /** Text of the question that the model reads, with redactions applied. */
  questionText: string;
  /** Form of the question that was searched, understandable without its conversation. Empty before the search. */
  searchedQuestion: string;
  /** Parts of the question for which the search found nothing, while it found sources for other parts. */
  unansweredParts: readonly string[];
  /** Factor of the budget for the prompt; less than 1 after the provider rejected a prompt as too long. */
  contextScale: number;
  /** True if the history contains messages of other users, or answers whose model may have read untrusted text. */
  hasForeignMessages: boolean;
  /** Files of the question and of earlier messages. Their texts are set by `readFiles`. */
  files: readonly ContextFile[];
  /** True if the prompt contains texts or images of files, which are untrusted. */
  hasFiles: boolean;
  /** Active memories for the prompt, of the scopes user, conversation, persona and tenant. */
  memories: readonly StoredMemory[];
  notes: readonly StoredNote[];
  /**
   * True if memories can be read and proposed: the tenant's policy allows it, the principal is no visitor, and the
   * conversation is not temporary.
   */
  canRemember: boolean;
  /** True if the tenant's policy allows suggestions of further questions. Visitors get none. */
  suggestsQuestions: boolean;
  /** Actions for findings of the guardrail: the tenant's policy, narrowed by the persona and the API key. */
  guardrails: GuardrailPolicy;
  /** Secret text in the instructions of this conversation. An answer that contains it reveals the instructions. */
  readonly canary: string;
  /** True if the guardrail found a risk of self-harm in the question. */
  isInCrisis: boolean;
  /** Incident that the question is about; null for other questions. */
  incident: TurnIncident | null;
  /** Passages that were found, in the order of their citation numbers: `[1]` cites the first. */
  readonly sources: KnowledgeHit[];
  /** Prompt of the next model call. Tool calls and their results are appended to it. */
  prompt: LanguageModelV4Prompt;
  /** Model that generates the answer; differs from `run.model` after a fallback. */
  modelId: string;
  /** Markdown of the answer so far. */
  text: string;
  usage: LanguageModelV4Usage | undefined;
  /** Number of rounds so far, each with one model response. */
  rounds: number;
  /** Tool calls of the latest model response while some of them have no result; otherwise null. */
  pendingToolCalls: PendingToolCalls | null;
  /**
   * Tool results that are too long for the prompt, by round and call id, for `read_result`. Null if no later round can
   * read them.
   */
  longResults: Map<string, string> | null;
  /** True if the tenant's policy requires an approval of each tool call. */
  requiresApproval: boolean;
  riskLevel: RiskLevel;
  /** Decision on the first pending tool call, after the run was paused for it. */
  toolDecision: ToolDecision | null;
  readonly proposals: MemoryProposal[];
  /** Blocks to store with the answer in addition to text and citations, such as proposals. */
  readonly extras: Block[];
  /** Findings that were redacted while the answer was streaming. */
  redactions: readonly Finding[];
  /** Rules whose matches were redacted while the answer was streaming. */
  redactedFormats: readonly string[];
  /** Guardrail checks that had findings; stored with the answer. */
  readonly checks: MessageCheck[];
  /** True if the policy can block a whole answer, so that no part of it is sent before its check. */
  isHeld: boolean;
  /** True if the answer reveals the instructions, so that it is replaced as a whole. */
  isWithheld: boolean;
  /** True if the answer is complete without a model call, such as a refusal. */
  isFinal: boolean;
  readonly thinking: { steps: number; startedAt: number | null };
  readonly startedAt: number;
  readonly timings: PhaseTiming[];
  /** Calls of tools of MCP servers. */
  readonly toolCalls: ToolCallTiming[];
  /** Model calls and tool calls, for the trace. */
  readonly operations: OperationTiming[];
  /** Epoch milliseconds at which the first text was sent, or null. */
  firstTokenAt: number | null;
}

/** Tool calls of one model response, with the results so far. */
export interface PendingToolCalls {
  /** Text before the tool calls in the response. */
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
  readonly results: LanguageModelV4ToolResultPart[];
  /**
   * Opaque state from the MCP server whose questions the user is to answer. The server gets it back with the answers.
   */
  readonly questionState?: string | null | undefined;
}

/** Decision on the approval or the questions for which a tool call was paused. */
export interface ToolDecision {
  readonly approval_id: string;
  readonly status: "approved" | "denied" | "cancelled" | "expired";
  /** Approved input of the tool, which the approver may have edited. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly note: string | null;
  /** Hash of the tool's definition at the time of the request; absent for built-in tools. */
  readonly definition_hash?: string | undefined;
  /** Answers of the user to the questions of the tool. */
  readonly answers?: Readonly<Record<string, QuestionAnswer>> | undefined;
  /** True if the run was paused for a sign-in. The call may still need consent afterwards. */
  readonly isSignIn: boolean;
}

export function newTurn(
  context: Pick<Turn, "principal" | "conversation" | "question" | "run" | "persona" | "signal">,
): Turn {
  return {
    ...context,
    endsAt: Number.POSITIVE_INFINITY,
    history: emptyHistory,
    questionText: "",
    searchedQuestion: "",
    unansweredParts: [],
    contextScale: 1,
    hasForeignMessages: false,
    files: [],
    hasFiles: false,
    memories: [],
    notes: [],
    canRemember: true,
    suggestsQuestions: false,
    guardrails: defaultGuardrailPolicy,
    canary: getCanary(`${context.principal.tenantId} ${context.conversation.id}`),
    isInCrisis: false,
    incident: null,
    sources: [],
    prompt: [],
    modelId: context.run.model,
    text: "",
    usage: undefined,
    rounds: 0,
    pendingToolCalls: null,
    longResults: null,
    requiresApproval: false,
    riskLevel: "medium",
    toolDecision: null,
    proposals: [],
    extras: [],
    redactions: [],
    redactedFormats: [],
    checks: [],
    isHeld: false,
    isWithheld: false,
    isFinal: false,
    thinking: { steps: 0, startedAt: null },
    startedAt: now(),
    timings: [],
    toolCalls: [],
    operations: [],
    firstTokenAt: null,
  };
}

export interface Phase {
  readonly name: string;
  run(turn: Turn): AsyncGenerator<RunEvent, void>;
}
