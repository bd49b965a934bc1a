import type { Usage } from "../../api/conversations/messages.ts";
import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { putSummary } from "../../conversations/summary-store.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import { log } from "../../lib/log.ts";
import { truncate } from "../../lib/truncate.ts";
import { askModel } from "../../models/ask-model.ts";
import { selectModel } from "../../models/model.ts";
import { getModel } from "../../models/model-table.ts";
import { toUsage } from "../../models/tokens.ts";
import { hasReadUntrusted } from "../has-read-untrusted.ts";
import type { Turn } from "../turn.ts";
import { getContextBudget } from "./context-budget.ts";
import { type HistoryMessages, toCheckedText } from "./history-messages.ts";
import { quotationInstructions, quote } from "./quote.ts";
import { boundTokens, TOKENS_PER_MESSAGE } from "./token-bounds.ts";

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

/** Maximum number of tokens of the tags around a message. */
const FRAME_TOKENS = 60;

/** Shares of the prompt of the model that summarizes: for the old summary, and for the messages. */
const [SUMMARY_SHARE, INPUT_SHARE] = [0.25, 0.6];

/** Share of the maximum length from which on a summary is written anew instead of being appended to. */
const REWRITE_SHARE = 0.6;

/** Timeout of the model call in milliseconds. The call begins after the answer was sent. */
const TIMEOUT_MS = 30_000;

const task =
  "You keep the summary of a conversation between a user and an assistant, so that the conversation can continue without its beginning.";
const rules = `Write in the language of the conversation, as short lines. Keep every fact, decision, open question, name, number, date, address and identifier, word for word; leave out greetings, repetitions and style. Do not add anything. ${quotationInstructions}`;

/** Instructions to write a summary that replaces the one before, and to write lines that are appended to it. */
const rewriteInstructions = `${task} Write the new summary from the old one and the messages that follow it. ${rules}`;
const appendInstructions = `${task} Write the lines to append to the summary for the messages that follow it. Do not repeat what it contains. ${rules}`;

/** Message with the text that the guardrail allows the model to read. */
interface CheckedMessage {
  readonly role: StoredMessage["role"];
  readonly text: string;
}

/**
 * Matches sentences that the summary without a model keeps: with a number, a name, an address or a link, and questions.
 */
const notable = /\p{N}|(?<=\p{L}\s)\p{Lu}\p{Ll}|@|https?:|\?$/u;

/**
 * Summarizes without a model: appends the notable sentences to the previous summary and drops the oldest lines beyond
 * the limit.
 */
function extractSentences(previous: string, messages: readonly CheckedMessage[], maxTokens: number): string {
  const lines = messages.flatMap(({ role, text }) =>
    text
      .split(/(?<=[.!?。！？])\s+|\n+/)
      .map((sentence) => sentence.trim())
      .filter((sentence) => sentence.length > 3 && notable.test(sentence))
      .map((sentence) => `- ${role === "assistant" ? "Assistant" : "User"}: ${truncate(sentence, 300)}`),
  );
  let remaining = maxTokens;
  return [...previous.split("\n"), ...lines]
    .filter(Boolean)
    .toReversed()
    .filter((line) => {
      remaining -= boundTokens(line);
      return remaining >= 0;
    })
    .reverse()
    .join("\n");
}

/** Returns the lines of a text that another one lacks, appended to it. */
function appendLines(previous: string, added: string): string {
  const known = new Set(previous.split("\n"));
  return [previous, ...added.split("\n").filter((line) => !known.has(line))].filter(Boolean).join("\n");
}

/** Asks a model for the summary of a conversation up to the given messages. */
async function writeSummary(
  model: string,
  previous: string,
  texts: readonly string[],
  maxTokens: number,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  const isAppended = previous !== "" && boundTokens(previous) < maxTokens * REWRITE_SHARE;
  const instructions = isAppended ? appendInstructions : rewriteInstructions;
  const old = previous ? `The old summary:\n${quote("summary", {}, previous)}\n\n` : "";
  const end = isAppended ? "Write the lines to append." : "Write the new summary.";
  const input = `${old}The messages:\n${texts.join("\n")}\n\n${end}`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const reply = await askModel(model, { instructions, text: input, maxOutputTokens: maxTokens, signal });
  const text = reply.text.trim();
  return {
    text: isAppended ? appendLines(previous, text) : text,
    usage: toUsage(reply.modelId, reply.usage, { input, output: reply.text }),
  };
}

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

/** Messages of one model call, with the part of the last one that was still missing. */
interface Pass {
  readonly messages: CheckedMessage[];
  /** Id of the last message that the summary contains completely after this pass. */
  until_id: string | null;
}

/** Divides messages among model calls, long ones among several, so that each call reads at most `maxTokens` of them. */
function toPasses(messages: readonly (CheckedMessage & { readonly id: string })[], maxTokens: number): Pass[] {
  const passes: Pass[] = [];
  let remaining = 0;
  for (const { role, text, id } of messages) {
    const count = Math.max(1, Math.ceil(boundTokens(text) / maxTokens));
    const length = Math.ceil(text.length / count);
    for (let part = 0; part < count; part++) {
      const piece = text.slice(part * length, (part + 1) * length).toWellFormed();
      const size = boundTokens(piece) + FRAME_TOKENS;
      if (passes.length === 0 || size > remaining) {
        passes.push({ messages: [], until_id: passes.at(-1)?.until_id ?? null });
        remaining = maxTokens + FRAME_TOKENS;
      }
      remaining -= size;
      passes.at(-1)?.messages.push({ role, text: piece });
    }
    const last = passes.at(-1);
    if (last) last.until_id = id;
  }
  return passes;
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
 * summary of the branch, and stores the new one after each model call. Runs after the answer. Best-effort: what fails is
 * tried again after the next turn.
 */
export async function summarizeConversation(turn: Turn): Promise<void> {
  const { principal, conversation, persona, history, question, run, answer } = turn;
  if (answer.historyTokens === null || question.parent_id !== null || turn.isFinal) return;
  const budget = getContextBudget(answer.modelId, persona?.max_output_tokens ?? null);
  const room = Math.max(answer.historyTokens, budget.prompt * MIN_HISTORY_SHARE);
  try {
    const newTokens = boundTokens(turn.questionText) + boundTokens(answer.text) + 2 * TOKENS_PER_MESSAGE;
    const summarized = takeOldest(await readUnsummarized(history), newTokens, room);
    if (summarized.length === 0) return;
    const model = selectModel({ tier: "QUICK", model: persona?.model ?? null });
    const isBuiltin = getModel(model).provider.type === "builtin";
    const own = getContextBudget(model, null);
    const maxTokens = Math.floor(Math.min(budget.summary, own.prompt * SUMMARY_SHARE));
    const messages = await Promise.all(
      summarized.map(async (message) => ({
        id: message.message_id,
        role: message.role,
        text: await toCheckedText(turn.guardrails, message),
      })),
    );
    const guardrail = await loadGuardrail(turn.guardrails);
    const longest = history.summaries.at(-1);
    let previous = longest?.text ?? "";
    for (const pass of toPasses(messages, own.prompt * INPUT_SHARE).slice(0, MAX_PASSES)) {
      if (now() + TIMEOUT_MS > turn.endsAt) return;
      const texts = pass.messages.map(({ role, text }) => quote("message", { role }, text));
      const written = isBuiltin ? null : await writeSummary(model, previous, texts, maxTokens);
      const text = written?.text || extractSentences(previous, pass.messages, maxTokens);
      const verdict = await guardrail.check({ stage: "output", text, question: "" });
      // A summary that the policy refuses is stored without what is new, so that not every turn asks for it again.
      previous = verdict.action === "block" ? previous : verdict.text;
      if (text === "" || pass.until_id === null) continue;
      await putSummary(principal, conversation.id, {
        id: newId(),
        asked_by: run.user_id,
        persona_id: run.persona_id,
        until_id: pass.until_id,
        text: previous,
        model: written?.usage.model ?? model,
        usage: written?.usage ?? null,
        calls: 0,
        ...(run.charges && { charges: { ...run.charges, reserved: [] } }),
        read_untrusted: hasReadUntrusted(turn) || longest?.read_untrusted === true,
        created_at: timestamp(),
      });
    }
  } catch (error) {
    log.warn("conversation not summarized", { message_id: run.message_id, error });
  }
}
