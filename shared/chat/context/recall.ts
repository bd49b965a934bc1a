import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import { detectLanguage } from "../../lib/language/languages.ts";
import { countOccurrences, extractTerms, fold } from "../../lib/language/terms.ts";
import { boundTokens } from "./token-bounds.ts";

/** Maximum number of older messages to add to one prompt. */
const MAX_RECALLED = 8;

/** Maximum number of tokens of the tags around a recalled message. */
const FRAME_TOKENS = 60;

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

/** Maximum number of occurrences of one stem that `partAround` considers. */
const MAX_OCCURRENCES = 20;

/** Returns the positions of a stem in a text, at most `MAX_OCCURRENCES`. */
function findPositions(text: string, stem: string): number[] {
  const positions: number[] = [];
  for (let found = text.indexOf(stem); found >= 0 && positions.length < MAX_OCCURRENCES; ) {
    positions.push(found);
    found = text.indexOf(stem, found + stem.length);
  }
  return positions;
}

/**
 * Returns the excerpt with the rarest terms; the whole text if it is at most `length` long. The positions are those of
 * the folded text, which differ little.
 */
function partAround(text: string, terms: ReadonlyMap<string, number>, length = MAX_PART_CHARACTERS): string {
  if (text.length <= length) return text;
  const folded = fold(text.toLowerCase());
  const stems = [...terms.keys()].map((term) => term.replace(/^[a-z]{2}:/, ""));
  const found = stems.map((stem) => findPositions(folded, stem)).filter(({ length }) => length > 0);
  const value = (start: number) =>
    found.reduce((sum, positions) => {
      const isInside = positions.some((position) => position >= start && position < start + length / 2);
      return isInside ? sum + 1 / positions.length : sum;
    }, 0);
  const best = found.flat().reduce((one, other) => (value(other) > value(one) ? other : one), found[0]?.[0] ?? 0);
  const start = Math.floor(Math.max(0, Math.min(best - length / 4, text.length - length)));
  return `… ${text.slice(start, start + length)} …`.toWellFormed();
}

/** Question before another one, and the weight of its terms relative to those of the other. */
export interface PreviousQuestion {
  readonly text: string;
  readonly weight: number;
}

/** Share of the visible messages from which on a term says too little to search for it, if there are enough of them. */
const COMMON_SHARE = 1 / 3;
const MIN_MESSAGES = 6;

/** Query for older messages. */
interface RecallQuery {
  readonly question: string;
  /** Terms to search for, with their weights. */
  readonly terms: ReadonlyMap<string, number>;
  /** Texts of answers that the prompt contains, which older messages must not match far worse. */
  readonly visible: readonly string[];
}

/**
 * Returns the query for the older messages to which a question may refer. A term is searched for even if the prompt has
 * it, such as in another question, but not if it is in every third message of the prompt.
 */
export function toRecallQuery(
  question: string,
  previous: PreviousQuestion | null,
  visible: readonly StoredMessage[],
): RecallQuery {
  const language = detectLanguage(question);
  const terms = new Map<string, number>();
  if (previous) for (const term of extractTerms(previous.text, language)) terms.set(term, previous.weight);
  for (const term of extractTerms(question, language)) terms.set(term, 1);
  const messages = visible.map(({ role, content }) => ({ role, text: blocksToMarkdown(content) }));
  if (messages.length >= MIN_MESSAGES) {
    const counts = countOccurrences(messages.flatMap(({ text }) => [...new Set(extractTerms(text, language))]));
    for (const term of terms.keys()) {
      if ((counts.get(term) ?? 0) > messages.length * COMMON_SHARE) terms.delete(term);
    }
  }
  const answers = messages.flatMap(({ role, text }) => (role === "assistant" ? [text] : []));
  return { question, terms, visible: answers };
}

/** Minimum score of a message, relative to the best of all messages. */
const MIN_SHARE = 0.4;

/**
 * Selects the older messages that share the rarest terms with a question, best first up to a size, and returns them
 * oldest first.
 * @param maxTokens maximum size of all selected messages
 * @param similarIds ids of messages with a similar meaning, best first; they take turns with those that share terms
 */
export function recallMessages(
  { question, terms, visible }: RecallQuery,
  older: readonly StoredMessage[],
  maxTokens: number,
  similarIds: readonly string[] = [],
): RecalledMessage[] {
  const language = detectLanguage(question);
  const findTerms = (text: string) => new Set(extractTerms(text, language).filter((term) => terms.has(term)));
  const documents = older.map((message) => {
    const text = blocksToMarkdown(message.content);
    return { message, text, shared: findTerms(text) };
  });
  const all = [...documents.map(({ shared }) => shared), ...visible.map(findTerms)];
  const counts = countOccurrences(all.flatMap((shared) => [...shared]));
  const score = (shared: ReadonlySet<string>) =>
    [...shared].reduce(
      (sum, term) => sum + (terms.get(term) ?? 0) * Math.log(1 + all.length / (1 + (counts.get(term) ?? 0))),
      0,
    );
  const minimum = MIN_SHARE * all.reduce((best, shared) => Math.max(best, score(shared)), 0);
  const byTerms = documents
    .map((document) => ({ ...document, score: score(document.shared) }))
    .filter((document) => document.score > 0 && document.score >= minimum)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_RECALLED);
  const similar = similarIds.flatMap((id) => documents.find(({ message }) => message.message_id === id) ?? []);
  const turns = byTerms.flatMap((document, index) => [document, ...similar.slice(index, index + 1)]);
  const candidates = new Map([...turns, ...similar].map((document) => [document.message.message_id, document]));
  const best = [...candidates.values()].slice(0, MAX_RECALLED);
  let remaining = maxTokens;
  const selected = best.flatMap(({ message, text }, index) => {
    const available = remaining - FRAME_TOKENS;
    let part = partAround(text, terms);
    const size = boundTokens(part);
    // The best message is shortened rather than left out.
    if (size > available && index === 0) part = partAround(text, terms, Math.floor((part.length * available) / size));
    if (available <= 0 || (size > available && index > 0)) return [];
    remaining = available - boundTokens(part);
    return [{ message, text: part }];
  });
  return selected.sort((a, b) => (a.message.message_id < b.message.message_id ? -1 : 1));
}
