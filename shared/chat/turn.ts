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
import type { AttachedFile } from "./context/attached-files.ts";
import { emptyHistory, type HistoryMessages } from "./context/history-messages.ts";

export interface MemoryProposal {
  readonly memory_id: string;
  readonly text: string;
  readonly scope: Memory["scope"];
  readonly category: Memory["category"];
  readonly read_untrusted?: boolean;
  readonly replaces?: NonNullable<Memory["replaces"]>;
}

/** Incident that a question is about. */
export interface TurnIncident {
  /** Facts that are known of it, quoted for the prompt. */
  readonly section: string;
  /** Set if the turn investigates the incident, instead of answering a later question about it. */
  readonly investigation: { readonly id: string; readonly maxTokens: number } | null;
}

/** State of answering one question, which the phases read and update in sequence. `turn-state.ts` serializes it. */
export interface Turn {
  readonly principal: ChatPrincipal;
  readonly conversation: StoredConversation;
  readonly question: StoredMessage;
  readonly run: StoredRun;
  /** Persona of the conversation, or null. */
  readonly persona: StoredPersona | null;
  /** Aborted with a `RunEnded` when the run must end early. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds at which the signal is aborted, because the function ends. */
  endsAt: number;

  /** Earlier messages of the conversation. */
  history: HistoryMessages;
  /** Question as the model sees it, with redactions applied. */
  questionText: string;
  /** Question as it was searched: complete without the conversation. Empty before the search. */
  searchedQuestion: string;
  /** Parts of the question about which the search found nothing, although it found sources for others. */
  unansweredParts: readonly string[];
  /** Share of the model's context window to fill; less than 1 after the provider refused a prompt as too long. */
  contextScale: number;
  /** True if the history contains messages of other users, or answers of a model that had read text of others. */
  hasForeignMessages: boolean;
  /** Files of the question and of earlier messages. */
  files: readonly AttachedFile[];
  /** True if the model gets texts or images of files, which others may have written. */
  hasFiles: boolean;
  /** Memories about the user, the conversation, the persona and the tenant. */
  memories: readonly StoredMemory[];
  /** Notes that the user has attached to the conversation. */
  notes: readonly StoredNote[];
  /** True if memories can be read and proposed: the principal is not a visitor, and the tenant's policy allows it. */
  canRemember: boolean;
  /** True if the tenant's policy lets answers suggest further questions. */
  suggestsQuestions: boolean;
  /** The tenant's policy for guardrail findings. */
  guardrails: GuardrailPolicy;
  /** Text in the instructions of this conversation; an answer that contains it reveals the instructions. */
  readonly canary: string;
  /** True if the question suggests a risk of self-harm. */
  isInCrisis: boolean;
  /** Incident that the question is about; null for other questions. */
  incident: TurnIncident | null;
  /** Passages that searches returned, in the order of their citation numbers. */
  readonly sources: KnowledgeHit[];
  /** Prompt of the next model call. Tool calls and their results are appended to it. */
  prompt: LanguageModelV4Prompt;
  /** Id of the model that answers; differs from `run.model` if the fallback was used. */
  modelId: string;
  /** Text of the answer so far, in Markdown. */
  text: string;
  usage: LanguageModelV4Usage | undefined;
  /** Number of model calls. */
  rounds: number;
  /** Tool calls that the model requested and that are not complete. */
  pendingToolCalls: PendingToolCalls | null;
  /**
   * Results of tools that are too long for a prompt, by round and id of their call. Null if no later round can read them.
   */
  longResults: Map<string, string> | null;
  /** True if each tool call requires approval. */
  requiresApproval: boolean;
  riskLevel: RiskLevel;
  /** Decision on the first incomplete tool call, after a pause. */
  toolDecision: ToolDecision | null;
  readonly proposals: MemoryProposal[];
  /** Blocks that the answer has in addition to text and citations. */
  readonly extras: Block[];
  /** Findings that were redacted while the answer was streaming. */
  redactions: readonly Finding[];
  /** Names of the formats that were redacted in the answer. */
  redactedFormats: readonly string[];
  /** Guardrail checks with findings. */
  readonly checks: MessageCheck[];
  /** True if the policy can reject the whole answer, so that nothing of it is sent before its check. */
  isHeld: boolean;
  /** True if the answer reveals the instructions. */
  isWithheld: boolean;
  /** True if the answer is final without a model call, such as a refusal. */
  isFinal: boolean;
  readonly thinking: { steps: number; startedAt: number | null };
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly timings: PhaseTiming[];
  /** Calls of servers' tools. */
  readonly toolCalls: ToolCallTiming[];
  /** Calls of models and of all tools. */
  readonly operations: OperationTiming[];
  /** Epoch milliseconds of the first text delta. */
  firstTokenAt: number | null;
}

/** Tool calls of one model response, with the results so far. */
export interface PendingToolCalls {
  /** Text that the model wrote before its calls. */
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
  readonly results: LanguageModelV4ToolResultPart[];
  /**
   * State that a server gets back with the answers that the first call without a result waits for; null if it waits for none.
   */
  readonly questionState?: string | null | undefined;
}

/** Decision on the approval request for a tool call. */
export interface ToolDecision {
  readonly approval_id: string;
  readonly status: "approved" | "denied" | "cancelled" | "expired";
  /** Approved input of the tool, which the approver may have edited. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly note: string | null;
  /** Hash of the definition of a server's tool for which the approval was requested. */
  readonly definition_hash?: string | undefined;
  /** Answers to the questions that the call waited for. */
  readonly answers?: Readonly<Record<string, QuestionAnswer>> | undefined;
  /** True if the turn waited for a sign-in; the call then still needs its consent. */
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
