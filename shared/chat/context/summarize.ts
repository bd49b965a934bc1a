import type { Usage } from "../../api/conversations/messages.ts";
import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { putSummary } from "../../conversations/summary-store.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { timestamp } from "../../lib/clock.ts";
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
import { toCheckedText } from "./history-messages.ts";
import { quotationInstructions, quote } from "./quote.ts";
import { boundTokens } from "./token-bounds.ts";

/**
 * Shares of the prompt: when the messages exceed `FULL_SHARE`, the oldest ones are summarized until the rest fits into
 * `KEPT_SHARE`.
 */
const FULL_SHARE = 0.55;
const KEPT_SHARE = 0.3;

/** Timeout of the model call in milliseconds. The call begins after the answer was sent. */
const TIMEOUT_MS = 30_000;

const instructions = `You keep the summary of a conversation between a user and an assistant, so that the conversation can continue without its beginning. Write the new summary from the old one and the messages that follow it, in the language of the conversation, as short lines. Keep every fact, decision, open question, name, number, date, address and identifier, word for word; leave out greetings, repetitions and style. Do not add anything. ${quotationInstructions}`;

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

async function writeSummary(
  model: string,
  previous: string,
  messages: readonly CheckedMessage[],
  maxTokens: number,
): Promise<{ readonly text: string; readonly usage: Usage }> {
  const budget = getContextBudget(model, maxTokens).prompt;
  const texts = messages.map(({ role, text }) => quote("message", { role }, text));
  while (texts.length > 1 && boundTokens(previous) + boundTokens(texts.join("\n")) > budget * 0.8) texts.shift();
  const old = previous ? `The old summary:\n${quote("summary", {}, previous)}\n\n` : "";
  const input = `${old}The messages:\n${texts.join("\n")}\n\nWrite the new summary.`;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const reply = await askModel(model, { instructions, text: input, maxOutputTokens: maxTokens, signal });
  return { text: reply.text.trim(), usage: toUsage(reply.modelId, reply.usage, { input, output: reply.text }) };
}

/**
 * Returns the oldest messages, which the summary is to replace; empty if the messages fill at most `FULL_SHARE` of the
 * prompt.
 */
function takeOldest(messages: readonly StoredMessage[], promptTokens: number): readonly StoredMessage[] {
  const sizes = messages.map(({ content }) => boundTokens(blocksToMarkdown(content)));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= promptTokens * FULL_SHARE) return [];
  let count = 0;
  while (count < messages.length && total > promptTokens * KEPT_SHARE) total -= sizes[count++] ?? 0;
  // A summary ends with an answer, so that what stays begins with a question.
  while (count > 0 && messages[count - 1]?.role === "user") count--;
  return messages.slice(0, count);
}

/**
 * Summarizes the oldest messages of a conversation that fills more than `FULL_SHARE` of the prompt, for the next turns.
 * Runs after the answer. Best-effort: if it fails, the next turn tries again.
 */
export async function summarizeConversation(turn: Turn): Promise<void> {
  const { principal, conversation, persona, history, question, run } = turn;
  const { line } = history;
  if (!line || question.parent_id !== null || turn.isFinal) return;
  const budget = getContextBudget(turn.answer.modelId, persona?.max_output_tokens ?? null);
  const summarized = takeOldest(line.messages, budget.prompt);
  const until_id = summarized.at(-1)?.message_id;
  if (until_id === undefined) return;
  try {
    const previous = line.summary?.text ?? "";
    const model = selectModel({ tier: "QUICK", model: persona?.model ?? null });
    const messages = await Promise.all(
      summarized.map(async (message) => ({
        role: message.role,
        text: await toCheckedText(turn.guardrails, message),
      })),
    );
    const isBuiltin = getModel(model).provider.type === "builtin";
    const written = isBuiltin ? null : await writeSummary(model, previous, messages, budget.summary);
    const text = written?.text || extractSentences(previous, messages, budget.summary);
    const guardrail = await loadGuardrail(turn.guardrails);
    const verdict = await guardrail.check({ stage: "output", text, question: "" });
    if (text === "") return;
    await putSummary(principal, conversation.id, {
      id: newId(),
      asked_by: run.user_id,
      persona_id: run.persona_id,
      until_id,
      // A summary that the policy refuses is stored without what is new, so that not every turn asks for it again.
      text: verdict.action === "block" ? previous : verdict.text,
      model: written?.usage.model ?? model,
      usage: written?.usage ?? null,
      calls: 0,
      ...(run.charges && { charges: { ...run.charges, reserved: [] } }),
      read_untrusted: hasReadUntrusted(turn) || line.summary?.read_untrusted === true,
      created_at: timestamp(),
    });
  } catch (error) {
    log.warn("conversation not summarized", { message_id: run.message_id, error });
  }
}
