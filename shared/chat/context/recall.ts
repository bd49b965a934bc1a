import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { extractTerms } from "../../lib/language/terms.ts";
import { boundTokens } from "./token-bounds.ts";

/** Maximum number of earlier messages that one question recalls. */
const MAX_RECALLED = 8;

/** Length of the part of a message that is recalled, around the words of the question. */
const MAX_PART_CHARACTERS = 600;

/** Earlier message that a question refers to, or the part of it that has the words of the question. */
export interface RecalledMessage {
  readonly message: StoredMessage;
  readonly text: string;
}

/** Returns the terms of a question that occur nowhere in a text. */
export function missingTerms(question: string, visible: string): string[] {
  const language = detectLanguage(question);
  const known = new Set(extractTerms(visible, language));
  return [...new Set(extractTerms(question, language))].filter((term) => !known.has(term));
}

/** Returns the part of a text around the first of the words, whole if it is short. */
function partAround(text: string, question: string): string {
  if (text.length <= MAX_PART_CHARACTERS) return text;
  const words = question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const lower = text.toLowerCase();
  const positions = words.map((word) => lower.lastIndexOf(word)).filter((position) => position >= 0);
  const start = Math.max(0, Math.min(...positions, lower.length - MAX_PART_CHARACTERS) - MAX_PART_CHARACTERS / 3);
  return `… ${text.slice(start, start + MAX_PART_CHARACTERS)} …`;
}

/**
 * Returns the earlier messages that have the rarest terms of a question, oldest first.
 * @param missing terms of the question that the visible part of the conversation lacks; a message has at least one of them
 */
export function recallMessages(
  question: string,
  missing: readonly string[],
  older: readonly StoredMessage[],
  maxTokens: number,
): RecalledMessage[] {
  const language = detectLanguage(question);
  const asked = new Set(extractTerms(question, language));
  const documents = older.map((message) => {
    const text = blocksToMarkdown(message.content);
    return { message, text, terms: new Set(extractTerms(text, language)) };
  });
  const idf = (term: string) =>
    Math.log(1 + documents.length / (1 + documents.filter(({ terms }) => terms.has(term)).length));
  const weights = new Map([...asked].map((term) => [term, idf(term)]));
  const score = (terms: ReadonlySet<string>) =>
    [...asked].reduce((sum, term) => sum + (terms.has(term) ? (weights.get(term) ?? 0) : 0), 0);
  let remaining = maxTokens;
  return documents
    .filter(({ terms }) => missing.some((term) => terms.has(term)))
    .map((document) => ({ ...document, score: score(document.terms) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RECALLED)
    .map(({ message, text }) => ({ message, text: partAround(text, question) }))
    .filter(({ text }) => {
      remaining -= boundTokens(text) + 30;
      return remaining >= 0;
    })
    .sort((a, b) => (a.message.message_id < b.message.message_id ? -1 : 1));
}
