import type { Language } from "../index/languages.ts";
import { extractWords } from "../index/terms.ts";

/**
 * Relevance from which on a passage answers a question. Calibrated with `test/support/knowledge/relevance-set.ts`; the
 * resulting rates are in `test/unit/knowledge/relevance.test.ts`.
 */
export const MIN_RELEVANCE = 0.52;

/**
 * Maximum weight of a word, reached when one of 200 passages contains it. Without this limit, a word that is missing from a
 * large index would outweigh all others.
 */
const MAX_WEIGHT = Math.log(200);

/** English words that occur in questions regardless of their subject. */
const framingWords: ReadonlySet<string> = new Set(
  "tell explain describe give show list please know want need help find mean means happen happens happened happening get gets long short much many often quickly soon early late far old tall large big high small fast use used using work works thing things".split(
    " ",
  ),
);

/** Word of a sentence with its terms. */
interface Word {
  readonly word: string;
  readonly terms: readonly string[];
}

/** Splits a query into sentences: a passage that answers one of several questions is relevant. */
function toSentences(text: string): string[] {
  return text.split(/(?<=[.!?。！？])\s+|\n+/).filter((sentence) => sentence.trim() !== "");
}

/** Words that join two questions in one sentence. */
const conjunction = /,?(?<!\s)\s+(?:and|und|et|y|och|og|и|та)\s+/iu;

/** Words that begin a question, which can have a single content word: "how long is the warranty". */
const questionWord =
  /^(?:how|what|when|where|who|whose|which|why|wie|was|wann|wo|wer|wessen|welche[rsmn]?|warum|comment|combien|quand|où|qui|quel(?:le)?s?|pourquoi|c[oó]mo|cu[aá]nt[oa]s?|cu[aá]ndo|d[oó]nde|qui[eé]n|qu[eé]|hoe|wat|wanneer|waar|wie|hur|vad|när|var|vem)\s/iu;

/** Minimum number of content words of a part that begins with no question word. One word matches too many passages. */
const MIN_PART_WORDS = 2;

/** Splits a sentence at its conjunctions into questions; empty unless each part has a subject of its own. */
export function splitCompoundQuestion(sentence: string, language: Language): string[] {
  const parts = sentence.trim().split(conjunction);
  const isQuestion = (part: string) =>
    toContentWords(part, language).length >= (questionWord.test(part) ? 1 : MIN_PART_WORDS);
  return parts.length > 1 && parts.every(isQuestion) ? parts : [];
}

/** Returns the distinct words of a sentence that describe its subject. */
function toContentWords(sentence: string, language: Language): Word[] {
  const words = extractWords(sentence, language).filter(({ word }) => !framingWords.has(word) && !/^[a-z]$/.test(word));
  return [...new Map(words.map((word) => [word.word, word])).values()];
}

/** Match of a passage with a query. */
export interface Match {
  /** Share of the significance of the query's words that the passage contains, from 0 to 1. */
  readonly relevance: number;
  /** Words of the query that the passage contains, normalized. */
  readonly words: readonly string[];
}

/**
 * Compares the words of a query with the terms of a passage. Of several sentences, and of several questions in one, the best one decides.
 * @param terms terms of the passage with title and headings
 * @param language language of the passage
 * @param wordWeights significance of the query's words
 */
export function matchWords(
  text: string,
  terms: ReadonlySet<string>,
  language: Language,
  wordWeights: ReadonlyMap<string, number>,
): Match {
  const matched = new Set<string>();
  let relevance = 0;
  const questions = toSentences(text).flatMap((sentence) => [sentence, ...splitCompoundQuestion(sentence, language)]);
  for (const sentence of questions) {
    let total = 0;
    let covered = 0;
    for (const { word, terms: wordTerms } of toContentWords(sentence, language)) {
      const share = wordTerms.filter((term) => terms.has(term)).length / wordTerms.length;
      const weight = Math.min(MAX_WEIGHT, wordWeights.get(word) ?? MAX_WEIGHT);
      total += weight;
      covered += share * weight;
      if (share > 0) matched.add(word);
    }
    if (total > 0) relevance = Math.max(relevance, covered / total);
  }
  return { relevance: Math.round(relevance * 1_000) / 1_000, words: [...matched] };
}
