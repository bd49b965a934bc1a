import type { Usage } from "../../api/conversations/messages.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { loadGuardrail } from "../../guardrails/guardrail.ts";
import { now } from "../../lib/clock.ts";
import { truncate } from "../../lib/truncate.ts";
import { askModel } from "../../models/ask-model.ts";
import { sumUsage, toUsage } from "../../models/tokens.ts";
import type { Turn } from "../turn.ts";
import { quotationInstructions, quote } from "./quote.ts";
import { boundTokens } from "./token-bounds.ts";

/** Timeout of the model call in milliseconds. The call begins after the answer was sent. */
const TIMEOUT_MS = 30_000;

/** Share of the maximum length from which on a summary is written anew instead of being appended to. */
const REWRITE_SHARE = 0.6;

/** Maximum number of tokens of the tags around a message. */
const FRAME_TOKENS = 60;

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

/** Messages of one model call, with the part of the last one that was still missing. */
interface Pass {
  readonly messages: CheckedMessage[];
  /** Id of the last message that the summary contains completely after this pass. */
  until_id: string | null;
}

/** Divides messages among model calls, long ones among several, so that each call reads at most `maxTokens` of them. */
export function toPasses(messages: readonly (CheckedMessage & { readonly id: string })[], maxTokens: number): Pass[] {
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

/** Summary after some passes, with the usage of their calls. */
export interface WrittenSummary {
  readonly text: string;
  readonly until_id: string | null;
  readonly usage: Usage | null;
}

/**
 * Continues a summary with one model call for each pass, or by rules if the reply is blank. Ends at the first call that fails or for
 * which no time is left.
 * @returns the summary up to there, and the error
 */
export async function writeInPasses(
  turn: Turn,
  start: WrittenSummary,
  passes: readonly Pass[],
  model: string,
  maxTokens: number,
): Promise<{ readonly written: WrittenSummary; readonly error?: unknown }> {
  let written = start;
  try {
    const guardrail = await loadGuardrail(turn.guardrails);
    for (const { messages, until_id } of passes) {
      if (now() + TIMEOUT_MS > turn.endsAt) break;
      const texts = messages.map(({ role, text }) => quote("message", { role }, text));
      const reply = await writeSummary(model, written.text, texts, maxTokens);
      const text = reply.text || extractSentences(written.text, messages, maxTokens);
      const verdict = await guardrail.check({ stage: "output", text, question: "" });
      written = {
        // A summary that the policy refuses is stored without what is new, so that not every turn asks for it again.
        text: verdict.action === "block" ? written.text : verdict.text,
        until_id,
        usage: sumUsage([reply.usage, ...(written.usage ? [written.usage] : [])]),
      };
    }
    return { written };
  } catch (error) {
    return { written, error };
  }
}
