import type { LanguageModelV4ToolCall, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import * as v from "valibot";
import type { Block } from "../api/blocks.ts";
import { MessageCheck } from "../api/conversations/messages.ts";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { RiskLevel } from "../api/governance/policy.ts";
import type { ChatPrincipal } from "../auth/principal.ts";
import type { StoredConversation } from "../conversations/conversation-store.ts";
import type { StoredMessage } from "../conversations/message-store.ts";
import { trusted } from "../dynamodb/item-reader.ts";
import type { PlacedFinding } from "../guardrails/types.ts";
import type { KnowledgeHit } from "../knowledge/search/knowledge-hit.ts";
import type { StoredMemory } from "../memory/memory-store.ts";
import type { StoredNote } from "../memory/note-store.ts";
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
 * Fields of a turn that a paused run stores, flat with those of its draft and its record. Fields that are not needed after
 * a tool call are left out, such as the history, which is already part of the prompt, and the data of images.
 */
const StoredParts = v.object({
  version: v.literal(VERSION),
  principal: trusted<ChatPrincipal>(),
  conversation: trusted<StoredConversation>(),
  question: trusted<StoredMessage>(),
  run: trusted<StoredRun>(),
  persona: v.nullable(trusted<StoredPersona>()),
  canary: v.string(),
  startedAt: v.number(),
  historyOrigins: v.array(v.string()),
  memories: v.array(trusted<StoredMemory>()),
  canRemember: v.boolean(),
  suggestsQuestions: v.boolean(),
  guardrails: trusted<GuardrailPolicy>(),
  requiresApproval: v.boolean(),
  riskLevel: RiskLevel,
  questionText: v.string(),
  isInCrisis: v.boolean(),
  isFinal: v.boolean(),
  hasFiles: v.boolean(),
  notes: v.array(trusted<StoredNote>()),
  searchedQuestion: v.string(),
  unansweredParts: v.array(v.string()),
  incident: v.nullable(trusted<TurnIncident>()),
});

const StoredDraft = v.object({
  sources: v.array(trusted<KnowledgeHit>()),
  prompt: PausedUsage.entries.prompt,
  addedOrigins: v.array(v.string()),
  contextScale: v.number(),
  modelId: PausedUsage.entries.modelId,
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
  longResults: v.array(v.tuple([v.string(), v.string()])),
  redactions: v.array(trusted<PlacedFinding>()),
  redactedFormats: v.array(v.string()),
  isHeld: v.boolean(),
  isWithheld: v.boolean(),
  proposals: v.array(trusted<MemoryProposal>()),
  extras: v.array(trusted<Block>()),
});

const StoredRecord = v.object({
  usage: PausedUsage.entries.usage,
  checks: v.array(MessageCheck),
  thinking: v.object({ steps: v.number(), startedAt: v.nullable(v.number()) }),
  timings: v.array(v.object({ phase: v.string(), started_at: v.string(), duration_ms: v.number() })),
  toolCalls: v.array(trusted<ToolCallTiming>()),
  operations: v.array(trusted<OperationTiming>()),
  firstTokenAt: v.nullable(v.number()),
});

type StoredTurn = Readonly<
  Record<
    keyof typeof StoredParts.entries | keyof typeof StoredDraft.entries | keyof typeof StoredRecord.entries,
    unknown
  >
>;

/**
 * Yields serialized forms of a turn from the largest to the smallest: with all long tool results, then without the
 * oldest ones. The caller stores the first that fits.
 */
export function* serializeTurn(turn: Turn): Generator<string, void> {
  const { signal, endsAt, history, attached, attachedNotes, files, investigationId, blockCount, ...stored } = turn;
  const { answer, record, ...parts } = stored;
  const { toolDecision, isCut, recalled, historyTokens, promptTokens, summaryUntilId, ...draft } = answer;
  const results = [...(answer.longResults ?? [])];
  for (let first = 0; first <= results.length; first++) {
    const state = { version: VERSION, ...parts, ...draft, ...record, longResults: results.slice(first) };
    yield JSON.stringify(state satisfies StoredTurn);
  }
}

/**
 * Restores a serialized turn.
 * @throws ValiError if the stored turn is invalid
 */
export function deserializeTurn(state: string, signal: AbortSignal): Turn {
  const flat = JSON.parse(state);
  const { version: _, ...parts } = v.parse(StoredParts, flat);
  const draft = v.parse(StoredDraft, flat);
  const record = v.parse(StoredRecord, flat);
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
      ...draft,
      longResults: new Map(draft.longResults),
      toolDecision: null,
      isCut: false,
      recalled: "",
      historyTokens: null,
      promptTokens: null,
      summaryUntilId: null,
    },
    record: { ...record, usage: record.usage },
  };
}
