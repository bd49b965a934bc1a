import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { StoredSummary } from "../../conversations/summary-store.ts";
import { promptText } from "../../models/prompt-text.ts";
import { boundPrompt, boundTokens } from "./token-bounds.ts";

/** Maximum number of tokens of the instructions and tags around a summary. */
const SUMMARY_FRAME_TOKENS = 280;

/** Messages of a branch in the form of a prompt, oldest first, with the summaries of its beginning. */
export interface HistoryLine {
  readonly main: LanguageModelV4Prompt;
  /** For each message of `main`, the id of the stored message from which it was made. */
  readonly mainIds: readonly string[];
  /** Summaries whose last message is on the branch and was read, from the shortest to the longest. */
  readonly summaries: readonly StoredSummary[];
  /** Last message of the summary that the latest answer of the same model had; null if it had none. */
  readonly usedUntilId: string | null;
  /** True if the branch has messages before those of `main`. */
  readonly isCut: boolean;
}

/** Part of a branch that a prompt contains. */
export interface FittedHistory {
  /** Summary that stands for the messages up to its last one, or null. */
  readonly summary: StoredSummary | null;
  readonly messages: LanguageModelV4Prompt;
  /** Id of the first stored message in `messages`; `~`, which is after all ids, if there is none. */
  readonly firstId: string;
  /** Size of the summary and the messages. */
  readonly tokens: number;
  /** True if the prompt contains the whole branch, so that neither a summary nor a recall is needed. */
  readonly isWhole: boolean;
  /** True if messages are neither in `messages` nor in the summary. */
  readonly isTrimmed: boolean;
}

/**
 * Replaces the middle of a text message by a note if the message exceeds a token budget. Messages with images or tool
 * calls stay unchanged.
 */
function shortenMessage(message: LanguageModelV4Message, maxTokens: number): LanguageModelV4Message {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant") return message;
  if (content.some(({ type }) => type !== "text")) return message;
  return { role, content: [{ type: "text", text: shortenText(promptText([message]), maxTokens) }] };
}

/** Replaces the middle of a text by a note if the text exceeds a token budget. */
export function shortenText(text: string, maxTokens: number): string {
  const size = boundTokens(text);
  if (size <= maxTokens) return text;
  const length = Math.floor((text.length * Math.max(0, maxTokens)) / size);
  const end = Math.floor(length / 3);
  return `${text.slice(0, length - end)}\n\n(… ${text.length - length} characters are left out here …)\n\n${text.slice(text.length - end)}`.toWellFormed();
}

/** Returns messages with their sizes, the long ones shortened. */
function toSized(messages: LanguageModelV4Prompt, maxMessageTokens: number) {
  return messages.map((message) => {
    const size = boundPrompt([message]);
    if (size <= maxMessageTokens) return { message, size };
    const shortened = shortenMessage(message, maxMessageTokens);
    return { message: shortened, size: boundPrompt([shortened]) };
  });
}

/** Returns, for each position and for the end, the size of the messages from there on. */
function toRemaining(sized: readonly { readonly size: number }[]): number[] {
  const remaining = new Array<number>(sized.length + 1).fill(0);
  for (let index = sized.length - 1; index >= 0; index--) {
    remaining[index] = (remaining[index + 1] ?? 0) + (sized[index]?.size ?? 0);
  }
  return remaining;
}

/** Returns the latest messages that fit into a token budget. */
export function takeFitting(
  messages: LanguageModelV4Prompt,
  maxTokens: number,
  maxMessageTokens: number,
): LanguageModelV4Prompt {
  const sized = toSized(messages, maxMessageTokens);
  const first = toRemaining(sized).findIndex((tokens) => tokens <= maxTokens);
  return first === -1 ? [] : sized.slice(first).map(({ message }) => message);
}

/**
 * Decides which messages of a branch a prompt contains, and which summary stands for those before. As long as the whole
 * branch fits, there is no summary. Then the shortest summary is used with which the rest of the branch fits, so that
 * the beginning of the prompt stays the same for many turns, but none shorter than that of the turn before. If there is none, the latest messages follow the longest
 * summary.
 * @param recallTokens tokens to keep free for recalled messages if the branch does not fit
 */
export function fitHistory(
  { main, mainIds, summaries, usedUntilId, isCut }: HistoryLine,
  maxTokens: number,
  maxMessageTokens: number,
  recallTokens: number,
): FittedHistory {
  const sized = toSized(main, maxMessageTokens);
  const remaining = toRemaining(sized);
  const tokensFrom = (first: number) => remaining[first] ?? 0;
  // The prompt does not return to a shorter summary when sources leave more room than in the turn before.
  const used = summaries.findIndex(({ until_id }) => until_id === usedUntilId);
  const beginnings = summaries.slice(Math.max(0, used)).map((summary) => {
    const next = mainIds.findIndex((id) => id > summary.until_id);
    return {
      summary,
      tokens: SUMMARY_FRAME_TOKENS + boundTokens(summary.text),
      next: next === -1 ? main.length : next,
    };
  });
  const none = { summary: null, tokens: 0, next: 0 };
  const takeFrom = ({ summary, tokens, next }: typeof none | (typeof beginnings)[number], first = next) => ({
    summary,
    messages: sized.slice(first).map(({ message }) => message),
    firstId: mainIds[first] ?? "~",
    tokens: tokens + tokensFrom(first),
    isWhole: summary === null && first === 0 && !isCut,
    isTrimmed: first > next || (summary === null && isCut),
  });
  if (!isCut && used === -1 && tokensFrom(0) <= maxTokens) return takeFrom(none);
  const available = maxTokens - recallTokens;
  const fitting = beginnings.find(({ tokens, next }) => tokens + tokensFrom(next) <= available);
  if (fitting) return takeFrom(fitting);
  const longest = beginnings.findLast(({ tokens }) => tokens <= available) ?? none;
  const latest = remaining.findIndex((tokens) => tokens <= available - longest.tokens);
  return takeFrom(longest, latest === -1 ? main.length : Math.max(latest, longest.next));
}
