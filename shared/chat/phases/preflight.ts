import type { GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { listSummaries, type StoredSummary } from "../../conversations/summary-store.ts";
import { isRetryableError } from "../../dynamodb/is-retryable-error.ts";
import { requiresApproval } from "../../governance/approvals/require-approval.ts";
import { getCurrentPolicy } from "../../governance/policy-store.ts";
import { narrowPolicy } from "../../guardrails/narrow-policy.ts";
import { now } from "../../lib/clock.ts";
import { log } from "../../lib/log.ts";
import { retryUntil } from "../../lib/retry.ts";
import { listMemoriesForPrompt } from "../../memory/memory-store.ts";
import { listNotesForPrompt } from "../../memory/note-store.ts";
import { promptText } from "../../models/prompt-text.ts";
import { attachTools } from "../attached-tools.ts";
import { collectFiles } from "../context/attached-files.ts";
import { type ContextBudget, getContextBudget } from "../context/context-budget.ts";
import { quoteRecalled, toHistoryMessages } from "../context/history-messages.ts";
import { type History, readHistory, untilPromptIsFull } from "../context/read-history.ts";
import { missingTerms, recallMessages } from "../context/recall.ts";
import type { PreflightResult, Turn } from "../turn.ts";
import type { Phase } from "./phase.ts";

/** Time in milliseconds during which failed reads of the context are retried. */
const CONTEXT_TIMEOUT_MS = 3_000;

/** Returns the latest summary whose last message is on this branch, or null. */
async function findSummary({ principal, conversation }: Turn, history: History): Promise<StoredSummary | null> {
  const summaries = await listSummaries(principal, conversation.id);
  const ids = new Set(history.main.map(({ message_id }) => message_id));
  const [first = ""] = ids;
  const isOnBranch = ({ until_id }: StoredSummary) =>
    ids.has(until_id) || (until_id < first && !history.isReplaced(until_id));
  return summaries.find(isOnBranch) ?? null;
}

/** Returns true for a message of another user, and for an answer whose model may have read untrusted text. */
const isForeign = ({ principal }: Turn, { role, author_id, read_untrusted }: StoredMessage): boolean =>
  role === "assistant" ? read_untrusted !== false : role === "user" && author_id !== principal.userId;

/** Returns the messages of the branch, the latest reply of each of its threads, and the thread of the question. */
const allMessages = ({ main, threads, thread }: History): StoredMessage[] => [
  ...main,
  ...[...threads.values()].map(({ latest }) => latest),
  ...(thread?.root ? [thread.root] : []),
  ...(thread?.messages ?? []),
];

/** Returns the result of a read, or the fallback if the read fails. Only for reads that the answer can do without. */
async function orElse<Result>(turn: Turn, read: Promise<Result>, fallback: Result): Promise<Result> {
  try {
    return await read;
  } catch (error) {
    log.warn("beginning of conversation not read", { message_id: turn.run.message_id, error });
    return fallback;
  }
}

interface LoadedHistory extends Pick<PreflightResult, "history" | "hasForeignMessages"> {
  /** True if a summary stands for the beginning of the conversation. */
  readonly isSummarized: boolean;
}

/**
 * Converts the messages that fit into the prompt. If the conversation is longer, adds a summary of older messages, and
 * older messages that share words with the question.
 */
async function loadHistory(
  turn: Turn,
  history: History,
  guardrails: GuardrailPolicy,
  budget: ContextBudget,
): Promise<LoadedHistory> {
  const { question, questionText } = turn;
  const isLine = history.thread === null;
  const summary = isLine && history.isCut ? await orElse(turn, findSummary(turn, history), null) : null;
  const main = history.main.filter(({ message_id }) => summary === null || message_id > summary.until_id);
  const messages = await toHistoryMessages(guardrails, { ...history, main }, question);
  const visible = `${promptText(messages.main)}\n${summary?.text ?? ""}`;
  const missing = isLine && history.isCut ? missingTerms(questionText, visible) : [];
  const older =
    missing.length > 0
      ? [...(await orElse(turn, history.readOlder(), [])), ...history.main.filter((message) => !main.includes(message))]
      : [];
  const recalled = recallMessages(questionText, missing, older, budget.recalled);
  return {
    history: {
      ...messages,
      summary: summary?.text ?? "",
      recalled: await quoteRecalled(guardrails, recalled),
      line: isLine ? { messages: main, summary } : null,
    },
    hasForeignMessages:
      summary?.read_untrusted === true ||
      [...allMessages(history), ...recalled.map(({ message }) => message)].some((message) => isForeign(turn, message)),
    isSummarized: summary !== null,
  };
}

/**
 * Phase that loads the context of a turn: earlier messages of its branch or thread, memories, notes, the tools of
 * servers, and the tenant's policy.
 */
export const preflight: Phase<PreflightResult> = {
  name: "preflight",
  async *run(turn) {
    const { principal, conversation } = turn;
    const isUser = principal.kind === "user";
    const budget = getContextBudget(turn.run.model, turn.persona?.max_output_tokens ?? null);
    const readContext = () =>
      Promise.all([
        readHistory(principal, turn.question, untilPromptIsFull(budget)),
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
    const { history, hasForeignMessages, isSummarized } = await loadHistory(turn, messages, guardrails, budget);
    // No warning in a thread, because its answers need few of the messages around it.
    if (messages.isCut && !isSummarized && !messages.thread) {
      yield {
        type: "preflight_warning",
        data: { code: "history_trimmed", message: "Only the latest part of the conversation is used as context." },
      };
    }
    const canRemember = isUser && policy.memory.enabled && !conversation.temporary;
    const investigated = messages.thread?.messages.findLast((message) => message.investigation_id !== undefined);
    const investigationId = investigated?.investigation_id ?? null;
    const isAboutIncident = investigationId !== null || turn.run.investigation_id !== undefined;
    return {
      history,
      hasForeignMessages: hasForeignMessages || isAboutIncident,
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
