import type {
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { Block } from "../api/blocks.ts";
import type { RiskLevel } from "../api/governance/policy.ts";
import type { Memory } from "../api/memory/memories.ts";
import type { ChatPrincipal } from "../auth/principal.ts";
import type { StoredConversation } from "../conversations/conversation-store.ts";
import type { StoredMessage } from "../conversations/message-store.ts";
import type { Finding } from "../guardrails/types.ts";
import type { KnowledgeHit } from "../knowledge/search/search-knowledge.ts";
import { now } from "../lib/clock.ts";
import type { StoredMemory } from "../memory/memory-store.ts";
import type { StoredNote } from "../memory/note-store.ts";
import type { StoredPersona } from "../personas/persona-store.ts";
import type { PhaseTiming, RunEvent } from "../runs/events.ts";
import type { StoredRun } from "../runs/run-store.ts";

/** A memory that the answer offers to keep. */
export interface MemoryProposal {
  readonly memory_id: string;
  readonly text: string;
  readonly scope: Memory["scope"];
  readonly category: Memory["category"];
}

/** One question and the making of its answer: phases read and fill it one after another. */
export interface Turn {
  readonly principal: ChatPrincipal;
  readonly conversation: StoredConversation;
  readonly question: StoredMessage;
  readonly run: StoredRun;
  /** Whom the assistant is in this conversation; null for nobody in particular. */
  readonly persona: StoredPersona | null;
  /** Aborted when the run has to end before its time. */
  readonly signal: AbortSignal;

  /** The conversation so far, the question last; without instructions and sources. */
  history: LanguageModelV4Prompt;
  /** What is remembered about the asker, the conversation, the persona and the tenant. */
  memories: readonly StoredMemory[];
  /** The asker's notes that are attached to the conversation. */
  notes: readonly StoredNote[];
  /** Whether anything may be remembered: the asker is no visitor, and the tenant allows it. */
  remembers: boolean;
  /** Whether the asker seems to be in danger from themselves. */
  needsCare: boolean;
  /** What retrieval found, best first; the place in the list is the number by which the answer cites it. */
  readonly sources: KnowledgeHit[];
  /** All that the model is told: once it began to answer, with the tools it used and what came of them. */
  prompt: LanguageModelV4Prompt;
  /** The model that answers: another than the run's where that failed. */
  modelId: string;
  /** The answer as far as it was generated, in Markdown. */
  text: string;
  usage: LanguageModelV4Usage | undefined;
  /** How often the model was asked. */
  rounds: number;
  /** What the model wants to use before it speaks on. */
  pending: Pending | null;
  /** Whether somebody has to allow each use of a tool, and how grave that is. */
  signOff: boolean;
  riskLevel: RiskLevel;
  /** What was decided about the first use of a tool that is pending. */
  decided: Decided | null;
  /** What the answer proposes to remember. */
  readonly proposals: MemoryProposal[];
  /** What the answer shows beside its text and citations. */
  readonly extras: Block[];
  /** What was taken out of the answer while it was streaming. */
  redactions: readonly Finding[];
  /** Whether the answer stands already, so that no model is asked. */
  settled: boolean;
  readonly thinking: { steps: number; startedAt: number | null };
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly timings: PhaseTiming[];
  /** Epoch milliseconds of the first piece of the answer. */
  firstTokenAt: number | null;
}

/** Uses of tools that the model asked for in one go; the first of them may be done. */
export interface Pending {
  /** What it said with it. */
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
  readonly results: LanguageModelV4ToolResultPart[];
}

/** What became of the request to use a tool. */
export interface Decided {
  readonly approval_id: string;
  readonly status: "approved" | "denied" | "cancelled" | "expired";
  /** What the tool is to be used with. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly note: string | null;
}

/** A turn before its first phase. */
export function newTurn(
  given: Pick<Turn, "principal" | "conversation" | "question" | "run" | "persona" | "signal">,
): Turn {
  return {
    ...given,
    history: [],
    memories: [],
    notes: [],
    remembers: true,
    needsCare: false,
    sources: [],
    prompt: [],
    modelId: given.run.model,
    text: "",
    usage: undefined,
    rounds: 0,
    pending: null,
    signOff: false,
    riskLevel: "medium",
    decided: null,
    proposals: [],
    extras: [],
    redactions: [],
    settled: false,
    thinking: { steps: 0, startedAt: null },
    startedAt: now(),
    timings: [],
    firstTokenAt: null,
  };
}

/** One step on the way to an answer. */
export interface Phase {
  readonly name: string;
  run(turn: Turn): AsyncGenerator<RunEvent, void>;
}
