import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { putSummary } from "../../conversations/summary-store.ts";
import { timestamp } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { selectModel } from "../../models/model.ts";
import { readOrigins } from "../read-origins.ts";
import type { Turn } from "../turn.ts";
import { getContextBudget, getTurnBudget } from "./context-budget.ts";
import { type HistoryMessages, toCheckedText } from "./history-messages.ts";
import { extendCodes } from "./recall-vectors.ts";
import { boundTokens, TOKENS_PER_MESSAGE } from "./token-bounds.ts";
import { toPasses, type WrittenSummary, writeInPasses } from "./write-summary.ts";

/**
 * Shares of the tokens that a prompt has for its conversation: when the messages since the last summary exceed
 * `FULL_SHARE`, the oldest ones are summarized until the rest fits into `REST_SHARE`. The prompt uses the summary once
 * the messages do not fit without it.
 */
const FULL_SHARE = 0.7;
const REST_SHARE = 0.25;

/** Minimum of these tokens, as a share of the prompt, for turns whose question or sources take most of it. */
const MIN_HISTORY_SHARE = 0.35;

/** Maximum number of messages that are not summarized, and of those that stay so; a prompt cannot have many more. */
const [MAX_UNSUMMARIZED, MAX_REST] = [480, 160];

/** Maximum number of model calls after one turn. The next turn summarizes the rest. */
const MAX_PASSES = 8;

/** Shares of the prompt of the model that summarizes: for the old summary, and for the messages. */
const [SUMMARY_SHARE, INPUT_SHARE] = [0.25, 0.7];

/** Returns the oldest messages, which the summary is to replace; empty if it is not needed yet. */
function takeOldest(messages: readonly StoredMessage[], newTokens: number, room: number): readonly StoredMessage[] {
  const sizes = messages.map(({ content }) => boundTokens(blocksToMarkdown(content)) + TOKENS_PER_MESSAGE);
  let total = sizes.reduce((sum, size) => sum + size, newTokens);
  if (total <= room * FULL_SHARE && messages.length <= MAX_UNSUMMARIZED) return [];
  let count = 0;
  while (count < messages.length && (total > room * REST_SHARE || messages.length - count > MAX_REST)) {
    total -= sizes[count++] ?? 0;
  }
  // A summary ends with an answer, so that what stays begins with a question.
  while (count > 0 && messages[count - 1]?.role === "user") count--;
  return messages.slice(0, count);
}

/** Returns the messages since the longest summary of the branch, oldest first. */
async function readUnsummarized({ summaries, isCut, stored }: HistoryMessages): Promise<readonly StoredMessage[]> {
  const longest = summaries.at(-1);
  if (longest) return stored.main.filter(({ message_id }) => message_id > longest.until_id);
  if (!isCut) return stored.main;
  const ids = new Set(stored.main.map(({ message_id }) => message_id));
  const older = await stored.readOlder({ maxMessages: Number.POSITIVE_INFINITY });
  return [...older.filter(({ message_id }) => !ids.has(message_id)).reverse(), ...stored.main];
}

/**
 * Summarizes the oldest messages of a conversation before a prompt lacks the tokens for them. Continues the longest
 * summary of the branch. Runs after the answer. Best-effort: what fails is tried again after the next turn.
 */
export async function summarizeConversation(turn: Turn): Promise<void> {
  const { principal, conversation, persona, history, question, run, answer } = turn;
  if (answer.historyTokens === null || question.parent_id !== null || turn.isFinal) return;
  const budget = getTurnBudget(turn, answer.modelId);
  const room = Math.max(answer.historyTokens, budget.prompt * MIN_HISTORY_SHARE);
  try {
    const newTokens = boundTokens(turn.questionText) + boundTokens(answer.text) + 2 * TOKENS_PER_MESSAGE;
    const summarized = takeOldest(await readUnsummarized(history), newTokens, room);
    if (summarized.length === 0) return;
    const model = selectModel({ tier: "QUICK", model: persona?.model ?? null });
    const own = getContextBudget(model, null);
    const maxTokens = Math.floor(Math.min(budget.summary, own.prompt * SUMMARY_SHARE));
    const messages = await Promise.all(
      summarized.map(async (message) => ({
        id: message.message_id,
        role: message.role,
        text: await toCheckedText(turn.guardrails, message),
      })),
    );
    const longest = history.summaries.at(-1);
    const start: WrittenSummary = { text: longest?.text ?? "", until_id: null, usage: null };
    const passes = toPasses(messages, own.prompt * INPUT_SHARE).slice(0, MAX_PASSES);
    const { written, error } = await writeInPasses(turn, start, passes, model, maxTokens);
    const { until_id } = written;
    if (written.text !== "" && until_id !== null) {
      const covered = messages.filter(({ id }) => id <= until_id);
      const recall = await extendCodes(longest?.recall, covered);
      await putSummary(principal, conversation.id, {
        id: newId(),
        asked_by: run.user_id,
        persona_id: run.persona_id,
        persona_version: run.persona_version ?? null,
        until_id,
        text: written.text,
        model: written.usage?.model ?? model,
        usage: written.usage,
        calls: 0,
        ...(run.charges && { charges: { ...run.charges, reserved: [] } }),
        read_origins: [...new Set([...readOrigins(turn), ...(longest?.read_origins ?? [])])],
        ...(recall && { recall }),
        created_at: timestamp(),
      });
    }
    if (error) throw error;
  } catch (error) {
    log.warn("conversation not summarized", { message_id: run.message_id, error });
  }
}
