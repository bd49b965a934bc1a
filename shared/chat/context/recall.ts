import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { extractTerms } from "../../lib/language/terms.ts";
import { boundTokens } from "./token-bounds.ts";

/** Maximum number of older messages to add to one prompt. */
const MAX_RECALLED = 8;

/** Maximum length of an excerpt of a recalled message. */
const MAX_PART_CHARACTERS = 600;

/**
 * Message that no longer fits into the prompt and shares words with the question; `text` is an excerpt if the message
 * is long.
 */
export interface RecalledMessage {
  readonly message: StoredMessage;
  readonly text: string;
}

/**
 * Returns the distinct search terms of a question that do not occur in the text of the visible messages. The terms of
 * both are extracted in the language of the question.
 */
export function missingTerms(question: string, visible: string): string[] {
  const language = detectLanguage(question);
  const known = new Set(extractTerms(visible, language));
  return [...new Set(extractTerms(question, language))].filter((term) => !known.has(term));
}

/**
 * Returns an excerpt that contains a word of the question; the whole text if it is at most `MAX_PART_CHARACTERS` long.
 */
function partAround(text: string, question: string): string {
  if (text.length <= MAX_PART_CHARACTERS) return text;
  const words = question.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  const lower = text.toLowerCase();
  const positions = words.map((word) => lower.lastIndexOf(word)).filter((position) => position >= 0);
  const start = Math.max(0, Math.min(...positions, lower.length - MAX_PART_CHARACTERS) - MAX_PART_CHARACTERS / 3);
  return `… ${text.slice(start, start + MAX_PART_CHARACTERS)} …`;
}

/**
 * Selects the older messages that share the rarest terms with a question, and returns them oldest first.
 * @param missing terms of the question that do not occur in the visible messages; a selected message contains at least
 * one
 * @param maxTokens maximum size of all selected messages
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
