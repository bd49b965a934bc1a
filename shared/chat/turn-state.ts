import type { LanguageModelV4Prompt, LanguageModelV4ToolCall, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import * as v from "valibot";
import type { Block } from "../api/blocks.ts";
import { MessageCheck } from "../api/conversations/messages.ts";
import { defaultGuardrailPolicy, type GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { RiskLevel } from "../api/governance/policy.ts";
import type { ChatPrincipal } from "../auth/principal.ts";
import type { StoredConversation } from "../conversations/conversation-store.ts";
import type { StoredMessage } from "../conversations/message-store.ts";
import { trusted } from "../dynamodb/item-reader.ts";
import type { Finding } from "../guardrails/types.ts";
import type { KnowledgeHit } from "../knowledge/search/knowledge-hit.ts";
import type { StoredMemory } from "../memory/memory-store.ts";
import type { StoredNote } from "../memory/note-store.ts";
import { promptText } from "../models/prompt-text.ts";
import type { StoredPersona } from "../personas/persona-store.ts";
import type { OperationTiming, ToolCallTiming } from "../runs/events.ts";
import { PausedUsage } from "../runs/pauses/paused-run-store.ts";
import type { StoredRun } from "../runs/run-store.ts";
import { emptyHistory } from "./context/history-messages.ts";
import type { MemoryProposal, Turn, TurnIncident } from "./turn.ts";

/**
 * Version of the stored form. Increment it when a field is renamed or changes its meaning, and convert older versions.
 */
const VERSION = 2;

/**
 * Serialized turn of a paused run. Fields that are not needed after a tool call are left out, such as the history,
 * which is already part of the prompt, and the data of images.
 */
const StoredTurn = v.object({
  version: v.literal(VERSION),
  principal: trusted<ChatPrincipal>(),
  conversation: trusted<StoredConversation>(),
  question: trusted<StoredMessage>(),
  run: trusted<StoredRun>(),
  persona: v.nullable(trusted<StoredPersona>()),
  questionText: v.string(),
  searchedQuestion: v.optional(v.string(), ""),
  unansweredParts: v.optional(v.array(v.string()), []),
  contextScale: v.number(),
  hasForeignMessages: v.boolean(),
  hasFiles: v.optional(v.boolean(), false),
  memories: v.array(trusted<StoredMemory>()),
  notes: v.array(trusted<StoredNote>()),
  canRemember: v.boolean(),
  suggestsQuestions: v.optional(v.boolean(), false),
  guardrails: trusted<GuardrailPolicy>(),
  canary: v.string(),
  isInCrisis: v.boolean(),
  incident: v.optional(v.nullable(trusted<TurnIncident>()), null),
  sources: v.array(trusted<KnowledgeHit>()),
  ...PausedUsage.entries,
  text: v.string(),
  rounds: v.number(),
  pendingToolCalls: v.nullable(
    v.object({
      text: v.string(),
      calls: v.array(trusted<LanguageModelV4ToolCall>()),
      results: v.array(trusted<LanguageModelV4ToolResultPart>()),
      questionState: v.optional(v.nullable(v.string())),
    }),
  ),
  longResults: v.optional(v.array(v.tuple([v.string(), v.string()])), []),
  requiresApproval: v.boolean(),
  riskLevel: RiskLevel,
  proposals: v.array(trusted<MemoryProposal>()),
  extras: v.array(trusted<Block>()),
  redactions: v.array(trusted<Finding>()),
  redactedFormats: v.array(v.string()),
  checks: v.array(MessageCheck),
  isHeld: v.boolean(),
  isWithheld: v.boolean(),
  isFinal: v.boolean(),
  thinking: v.object({ steps: v.number(), startedAt: v.nullable(v.number()) }),
  startedAt: v.number(),
  timings: v.array(v.object({ phase: v.string(), started_at: v.string(), duration_ms: v.number() })),
  toolCalls: v.optional(v.array(trusted<ToolCallTiming>()), []),
  operations: v.optional(v.array(trusted<OperationTiming>()), []),
  firstTokenAt: v.nullable(v.number()),
});
type StoredTurn = v.InferOutput<typeof StoredTurn>;

/**
 * Yields serialized forms of a turn from the largest to the smallest: with all long tool results, then without the
 * oldest ones. The caller stores the first that fits.
 */
export function* serializeTurn(turn: Turn): Generator<string, void> {
  const { signal: _1, endsAt: _2, history: _3, attached: _4, attachedNotes: _5, files: _6, ...others } = turn;
  const { investigationId: _7, blockCount: _9, answer, record, ...parts } = others;
  const { toolDecision: _8, ...draft } = answer;
  const results = [...(answer.longResults ?? [])];
  for (let first = 0; first <= results.length; first++) {
    const state = { version: VERSION, ...parts, ...draft, ...record, longResults: results.slice(first) };
    yield JSON.stringify(state satisfies Readonly<Record<keyof StoredTurn, unknown>>);
  }
}

/** Converts the form that releases before 0.2 stored: without a version, and with other field names. */
function fromFirstVersion(state: Readonly<Record<string, unknown>>): unknown {
  const { needsCare, remembers, signOff, settled, pending, history, ...rest } = state;
  return {
    guardrails: defaultGuardrailPolicy,
    canary: "",
    isHeld: false,
    redactedFormats: [],
    checks: [],
    ...rest,
    version: VERSION,
    questionText: promptText((history as LanguageModelV4Prompt).slice(-1)),
    contextScale: 1,
    isInCrisis: needsCare,
    canRemember: remembers,
    requiresApproval: signOff,
    isFinal: settled,
    pendingToolCalls: pending,
  };
}

/**
 * Restores a serialized turn, also one of an earlier release.
 * @throws ValiError if the stored turn is invalid
 */
export function deserializeTurn(state: string, signal: AbortSignal): Turn {
  const stored = JSON.parse(state) as Readonly<Record<string, unknown>>;
  const { version: _, ...turn } = v.parse(StoredTurn, "version" in stored ? stored : fromFirstVersion(stored));
  const { usage, checks, thinking, timings, toolCalls, operations, firstTokenAt, ...others } = turn;
  const { sources, prompt, contextScale, modelId, text, rounds, pendingToolCalls, longResults, ...rest } = others;
  const { redactions, redactedFormats, isHeld, isWithheld, proposals, extras, ...parts } = rest;
  return {
    ...parts,
    signal,
    endsAt: Number.POSITIVE_INFINITY,
    history: emptyHistory,
    attached: [],
    attachedNotes: [],
    files: [],
    investigationId: null,
    blockCount: 0,
    answer: {
      ...{ sources, prompt, contextScale, modelId, text, rounds, pendingToolCalls, longResults: new Map(longResults) },
      ...{ redactions, redactedFormats, isHeld, isWithheld, proposals, extras, toolDecision: null },
    },
    record: { usage, checks, thinking, timings, toolCalls, operations, firstTokenAt },
  };
}
