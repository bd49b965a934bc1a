import { findEmbeddingSpace } from "../../embeddings/embedding-provider.ts";
import type { Language } from "../../lib/language/languages.ts";
import { extractWords } from "../../lib/language/terms.ts";
import { questionWords, toContentWords } from "./content-words.ts";

/**
 * Minimum relevance of search results, at which a passage is likely to answer a question. Calibrated with
 * `test/support/knowledge/relevance-set.ts`; the resulting rates are in `test/unit/knowledge/relevance.test.ts`.
 */
export const MIN_RELEVANCE = 0.52;

/**
 * Returns the minimum relevance for a question in a conversation that is already about the knowledge (measurements:
 * decision 0030).
 * @returns null with an embedding provider, because similarity does not depend on words
 */
export const findRelatedRelevance = (): number | null => (findEmbeddingSpace() ? null : 0.3);

/**
 * Maximum weight of a word. A word that one of 200 passages contains reaches it. Without this limit, a word that is
 * missing from a large index would outweigh all others.
 */
const MAX_WEIGHT = Math.log(200);

/**
 * English words that name no subject. A passage whose text has only these words in common with a question does not
 * answer it.
 */
const genericWords: ReadonlySet<string> = new Set(
  "type types kind kinds sort category categories name names named called term terms number amount example examples one ones two first second way ways part parts other another person people group groups year years time times day word words known new main different certain made make place form important reason reasons cause caused change changed become became say says level several many".split(
    " ",
  ),
);

/**
 * Splits a query into sentences, because a passage that answers one of several questions is relevant. A period after
 * initials or a short capitalized word, as in "U.S." and "St. John", does not end a sentence.
 */
function toSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？])(?<!(?:^|\s)(?:\p{Lu}\p{Ll}{0,3}|(?:\p{L}\.)+\p{L})\.)\s+|\n+/u)
    .filter((sentence) => sentence.trim() !== "");
}

/** Matches words that join two questions in one sentence. */
const conjunction = /,?(?<!\s)\s+(?:and|und|et|y|och|og|и|та)\s+/iu;

/** Matches the start of a question. A question may have a single content word: "how long is the warranty". */
const startsQuestion = new RegExp(`^(?:${questionWords})\\s`, "iu");

/**
 * Splits a sentence at its conjunctions into questions. Empty unless there are several parts and each begins with a
 * question word.
 */
export function splitCompoundQuestion(sentence: string, language: Language): string[] {
  const parts = sentence.trim().split(conjunction);
  const isQuestion = (part: string) => startsQuestion.test(part) && toContentWords(part, language).length > 0;
  return parts.length > 1 && parts.every(isQuestion) ? parts : [];
}

/** Matches names and numbers: capitalized words and digits that are not at the start of the sentence. */
const name = /(?<=[\p{L}\p{N},"] )["(]?(?:\p{Lu}[\p{L}\p{N}'-]*|\p{N}[\p{N}\p{L}.,]*)/gu;

/** Weight of a name or number relative to another word, because passages about something else have different names. */
const NAME_WEIGHT = 2;

/** Number of consecutive terms of a passage within which words count as near each other. */
const WINDOW_TERMS = 15;

/** Share of the relevance that depends on matched words being near each other. */
const WINDOW_SHARE = 0.5;

/** Total weight of the matched words from which the relevance is not reduced. */
const FULL_WEIGHT = 7;

/** Share by which the relevance is reduced if the matched words have no weight. */
const WEIGHT_SHARE = 0.2;

/** Factor for a passage that matches only generic words of a question, and none of them in its title. */
const GENERIC_FACTOR = 0.5;

export interface PassageTerms {
  /** Terms of the title and the headings. */
  readonly title: ReadonlySet<string>;
  /** Terms of the text, in order. */
  readonly text: readonly string[];
}

/**
 * Returns the largest total weight of query terms that are near each other in the text. Terms in the title always count
 * as near.
 */
function findNearWeight({ title, text }: PassageTerms, weights: ReadonlyMap<string, number>): number {
  const inTitle = [...weights].reduce((sum, [term, weight]) => sum + (title.has(term) ? weight : 0), 0);
  const length = Math.max(WINDOW_TERMS, weights.size);
  const places = text.flatMap((term, place) => (weights.has(term) && !title.has(term) ? [{ term, place }] : []));
  const sums = places.map(({ place: start }, index) => {
    const near = new Set<string>();
    for (let next = index; next < places.length && (places[next]?.place ?? 0) < start + length; next++) {
      near.add(places[next]?.term ?? "");
    }
    return [...near].reduce((sum, term) => sum + (weights.get(term) ?? 0), inTitle);
  });
  return sums.reduce((best, sum) => Math.max(best, sum), inTitle);
}

export interface Match {
  /** Weighted share of the query's words that the passage contains, reduced by further factors; from 0 to 1. */
  readonly relevance: number;
  /** Normalized words of the query that the passage contains. */
  readonly words: readonly string[];
}

/**
 * Compares the words of a query with the terms of a passage. If the query has several sentences or questions, the best
 * match counts. Words count more if they are rare, names, or near each other in the passage (measurements: decision
 * 0031).
 * @param language language of the passage
 * @param wordWeights significance of the query's words
 */
export function matchWords(
  text: string,
  passage: PassageTerms,
  language: Language,
  wordWeights: ReadonlyMap<string, number>,
): Match {
  const terms = new Set([...passage.title, ...passage.text]);
  const matched = new Set<string>();
  let relevance = 0;
  const questions = toSentences(text).flatMap((sentence) => [sentence, ...splitCompoundQuestion(sentence, language)]);
  for (const sentence of questions) {
    const names = new Set(extractWords(sentence.match(name)?.join(" ") ?? "", language).map(({ word }) => word));
    const words = toContentWords(sentence, language).map(({ word, terms: wordTerms }) => {
      const weight = Math.min(MAX_WEIGHT, wordWeights.get(word) ?? MAX_WEIGHT) * (names.has(word) ? NAME_WEIGHT : 1);
      const share = wordTerms.filter((term) => terms.has(term)).length / wordTerms.length;
      return { word, terms: wordTerms, weight, share };
    });
    const found = words.filter(({ share }) => share > 0);
    for (const { word } of found) matched.add(word);
    const total = words.reduce((sum, { weight }) => sum + weight, 0);
    if (total === 0) continue;
    const covered = found.reduce((sum, { weight, share }) => sum + weight * share, 0);
    const near = findNearWeight(
      passage,
      new Map(words.flatMap(({ terms: of, weight }) => of.map((term) => [term, weight / of.length] as const))),
    );
    const isSpecific = found.some(
      ({ word, terms: of }) => !genericWords.has(word) || of.some((term) => passage.title.has(term)),
    );
    const coverage = ((1 - WINDOW_SHARE) * covered + WINDOW_SHARE * near) / total;
    const factor = Math.min(1, 1 - WEIGHT_SHARE * (1 - covered / FULL_WEIGHT)) * (isSpecific ? 1 : GENERIC_FACTOR);
    relevance = Math.max(relevance, coverage * factor);
  }
  return { relevance: Math.round(Math.min(1, relevance) * 1_000) / 1_000, words: [...matched] };
}
