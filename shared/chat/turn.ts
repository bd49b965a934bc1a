import type {
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { Block } from "../api/blocks.ts";
import type { MessageCheck } from "../api/conversations/messages.ts";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import type { RiskLevel } from "../api/governance/policy.ts";
import type { Memory } from "../api/memory/memories.ts";
import type { QuestionAnswer } from "../api/tools/questions.ts";
import type { ChatPrincipal } from "../auth/principal.ts";
import type { StoredConversation } from "../conversations/conversation-store.ts";
import type { StoredMessage } from "../conversations/message-store.ts";
import type { PlacedFinding } from "../guardrails/types.ts";
import type { KnowledgeHit } from "../knowledge/search/knowledge-hit.ts";
import type { StoredMemory } from "../memory/memory-store.ts";
import type { StoredNote } from "../memory/note-store.ts";
import type { StoredPersona } from "../personas/persona-store.ts";
import type { OperationTiming, PhaseTiming, ToolCallTiming } from "../runs/events.ts";
import type { StoredRun } from "../runs/run-store.ts";
import type { ContextFile } from "./context/attached-files.ts";
import type { HistoryMessages } from "./context/history-messages.ts";

export interface MemoryProposal {
  readonly memory_id: string;
  readonly text: string;
  readonly scope: Memory["scope"];
  readonly category: Memory["category"];
  readonly read_untrusted: boolean;
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

/** Question of a turn and its circumstances, known when it begins. */
interface TurnStart {
  readonly principal: ChatPrincipal;
  readonly conversation: StoredConversation;
  readonly question: StoredMessage;
  readonly run: StoredRun;
  readonly persona: StoredPersona | null;
  /** Aborted with a `RunEnded` when the run must end early. */
  readonly signal: AbortSignal;
  /** Secret text in the instructions of this conversation. An answer that contains it reveals the instructions. */
  readonly canary: string;
  readonly startedAt: number;
}

/** Result of `preflight`: the context of the question and the tenant's policy. */
export interface PreflightResult {
  /** Messages before the question, as parts of the prompt. */
  readonly history: HistoryMessages;
  /** Origins of untrusted text in the history, and `alert` if the question is about an incident (`readOrigins`). */
  readonly historyOrigins: readonly string[];
  /** Files of the question and of earlier messages, without their texts. */
  readonly attached: readonly ContextFile[];
  /** Notes of the conversation before their check. */
  readonly attachedNotes: readonly StoredNote[];
  /** Active memories for the prompt, of the scopes user, conversation, persona and tenant. */
  readonly memories: readonly StoredMemory[];
  /**
   * True if memories can be read and proposed: the tenant's policy allows it, the principal is no visitor, and the
   * conversation is not temporary.
   */
  readonly canRemember: boolean;
  /** True if the tenant's policy allows suggestions of further questions. Visitors get none. */
  readonly suggestsQuestions: boolean;
  /** Actions for findings of the guardrail: the tenant's policy, narrowed by the persona and the API key. */
  readonly guardrails: GuardrailPolicy;
  /** True if the tenant's policy requires an approval of each tool call. */
  readonly requiresApproval: boolean;
  readonly riskLevel: RiskLevel;
  /** Id of the investigation that the thread of the question is about; null for none. */
  readonly investigationId: string | null;
}

/** Result of `input_check`: decisions about the question. */
export interface InputCheckResult {
  /** Text of the question that the model reads, with redactions applied; before the check, as it was written. */
  readonly questionText: string;
  /** True if the guardrail found a risk of self-harm in the question. */
  readonly isInCrisis: boolean;
  /** True if the answer is complete without a model call: a refusal. */
  readonly isFinal: boolean;
}

/** Result of `retrieval`, in addition to the `sources` that it adds to the draft. */
export interface RetrievalResult {
  /** Files of the question and of earlier messages, with the parts of their texts that fit into the prompt. */
  readonly files: readonly ContextFile[];
  /** True if the prompt contains texts or images of files, which are untrusted. */
  readonly hasFiles: boolean;
  /** Notes of the conversation, as the guardrail allows them. */
  readonly notes: readonly StoredNote[];
  /** Form of the question that was searched, understandable without its conversation. Empty without a search. */
  readonly searchedQuestion: string;
  /** Parts of the question for which the search found nothing, while it found sources for other parts. */
  readonly unansweredParts: readonly string[];
  /** Incident that the question asks to investigate, or that its thread is about; null for other questions. */
  readonly incident: TurnIncident | null;
}

/** Result of `commit`. */
export interface CommitResult {
  /** Number of blocks of the stored answer; 0 before. */
  readonly blockCount: number;
}

/**
 * Answer in progress, which the phases write in turn: `input_check` a refusal, `retrieval` the sources, `generation` and
 * its tools the text, `output_check` replaces what it must not say, and `proposals` adds blocks.
 */
export interface AnswerDraft {
  /** Passages that were found, in the order of their citation numbers: `[1]` cites the first. */
  readonly sources: KnowledgeHit[];
  /** Prompt of the next model call. Tool calls and their results are appended to it. */
  prompt: LanguageModelV4Prompt;
  /** Quoted messages from before those of the prompt that may be what the question refers to; empty if there are none. */
  recalled: string;
  /** Origins of untrusted text in `recalled` and in results of tools (`readOrigins`). */
  readonly addedOrigins: string[];
  /** Tokens that the prompt had for the conversation; null until it was built by this function. */
  historyTokens: number | null;
  /** Upper bound of the tokens of the first prompt; null until it was built by this function, or after it was rejected. */
  promptTokens: number | null;
  /** Last message of the summary in the prompt; null if it has none, or was not built by this function. */
  summaryUntilId: string | null;
  /** Factor of the budget for the prompt; less than 1 after the provider rejected a prompt as too long. */
  contextScale: number;
  /** Model that generates the answer; differs from `run.model` after a fallback. */
  modelId: string;
  /** Markdown of the answer so far. */
  text: string;
  /** Number of rounds so far, each with one model response. */
  rounds: number;
  /** Tool calls of the latest model response while some of them have no result; otherwise null. */
  pendingToolCalls: PendingToolCalls | null;
  /** Decision on the first pending tool call, after the run was paused for it. */
  toolDecision: ToolDecision | null;
  /**
   * Tool results that are too long for the prompt, by round and call id, for `read_result`. Null if no later round can
   * read them.
   */
  longResults: Map<string, string> | null;
  /** Findings that were redacted while the answer was streaming. */
  redactions: readonly PlacedFinding[];
  /** Rules whose matches were redacted while the answer was streaming. */
  redactedFormats: readonly string[];
  /**
   * True while no part of the text may be sent: the policy can block the whole answer in its check, or the turn
   * investigates an incident.
   */
  isHeld: boolean;
  /** True if the answer ends where the latest response of the model reached the maximum number of output tokens. */
  isCut: boolean;
  /** True if the answer reveals the instructions, so that it is replaced as a whole. */
  isWithheld: boolean;
  readonly proposals: MemoryProposal[];
  /** Blocks to store with the answer in addition to text and citations, such as proposals. */
  readonly extras: Block[];
}

/** Part of a turn that one phase returns. */
export type TurnPart = PreflightResult | InputCheckResult | RetrievalResult | CommitResult;

/** Record of a turn so far, for its trace and its usage. Each phase adds to it. */
export interface TurnRecord {
  usage: LanguageModelV4Usage | undefined;
  /** Guardrail checks that had findings; stored with the answer. */
  readonly checks: MessageCheck[];
  readonly thinking: { steps: number; startedAt: number | null };
  readonly timings: PhaseTiming[];
  /** Calls of tools of MCP servers. */
  readonly toolCalls: ToolCallTiming[];
  /** Model calls and tool calls, for the trace. */
  readonly operations: OperationTiming[];
  /** Epoch milliseconds at which the first text was sent, or null. */
  firstTokenAt: number | null;
}

/**
 * State of answering one question. The first three phases and `commit` return one part each, which
 * `executeTurn` adds and nothing changes afterwards; before, the part has the values of `newTurn`. `turn-state.ts` serializes a turn.
 */
export interface Turn extends TurnStart, PreflightResult, InputCheckResult, RetrievalResult, CommitResult {
  /** Epoch milliseconds at which the signal is aborted, shortly before the function reaches its timeout. */
  endsAt: number;
  readonly answer: AnswerDraft;
  readonly record: TurnRecord;
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
  /** Answers of the user to the questions of the tool's server, by `key` of the question. */
  readonly answers?: Readonly<Record<string, QuestionAnswer>> | undefined;
  /** True if the run was paused for a sign-in. The call may still need consent afterwards. */
  readonly isSignIn: boolean;
}
