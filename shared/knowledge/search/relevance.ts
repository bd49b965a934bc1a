import { findEmbeddingSpace } from "../../embeddings/embedding-provider.ts";
import type { Language } from "../../lib/language/languages.ts";
import { countOccurrences, extractWords, type Word } from "../../lib/language/terms.ts";
import { saturation } from "../index/bm25.ts";
import type { WordStatistics } from "../index/knowledge-index.ts";
import { genericWords, toContentWords } from "./content-words.ts";
import { splitQuestion } from "./split-question.ts";

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
 * Maximum weight of a word for its nearness to others. A word that one of 200 passages contains reaches it. Without this
 * limit, a word that is missing from a large index would outweigh all others.
 */
const MAX_WEIGHT = Math.log(200);

/** Matches names and numbers: capitalized words and digits that are not at the start of the sentence. */
const name = /(?<=[\p{L}\p{N},"] )["(]?(?:\p{Lu}[\p{L}\p{N}'-]*|\p{N}[\p{N}\p{L}.,]*)/gu;

/** Number of consecutive terms of a passage within which words count as near each other. */
const WINDOW_TERMS = 15;

/** Share of a word of which a passage has only the spelling without marks (`Word.isMarked`). */
const UNMARKED_SHARE = 0.25;

/**
 * Shares of the relevance (measurements: decision 0031): of the BM25 score relative to its maximum, of the share of the
 * words that are near each other, of the weight of these words up to `MAX_NEAR_WEIGHT`, and of each name that is missing.
 */
const [SCORE_SHARE, NEAR_SHARE, NEAR_WEIGHT_SHARE, MISSING_NAME_SHARE] = [1.2, 0.1, 0.03, 0.2];
const MAX_NEAR_WEIGHT = 12;

/** Factor for a passage that matches only generic words of a question, and none of them in its title. */
const GENERIC_FACTOR = 0.5;

/** Factor for a part of a query, because fewer words match by chance more often. */
const PART_FACTOR = 0.8;

/** Weight of a word of which nothing is known: that of a word that no passage contains. */
const DEFAULT_WEIGHT = 7.6;

interface PassageTerms {
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

interface Match {
  /** Probability-like measure from 0 to 1 of the passage answering the query, or one of its parts. */
  readonly relevance: number;
  /** Normalized words of the query that the passage contains. */
  readonly words: readonly string[];
}

/** Question of a query with its words in one language. */
interface QuestionWords {
  readonly words: readonly (Word & { readonly weight: number; readonly isName: boolean })[];
  /** Total weight of the words. */
  readonly total: number;
  /** Weights of the terms for their nearness, and their sum. */
  readonly nearWeights: ReadonlyMap<string, number>;
  readonly nearTotal: number;
}

/**
 * Compares the words of a query with the terms of passages. A passage is relevant if it answers the query or one of its
 * parts, or one of the texts before it.
 */
export class QueryMatcher {
  readonly #statistics: WordStatistics;
  /** Texts with the factors of their relevance. */
  readonly #questions: ReadonlyMap<string, number>;
  readonly #wordsByLanguage = new Map<Language, readonly (readonly [QuestionWords, number])[]>();

  constructor(texts: readonly string[], statistics: WordStatistics) {
    this.#statistics = statistics;
    const parts = texts.flatMap(splitQuestion).map((part) => [part, PART_FACTOR] as const);
    this.#questions = new Map([...parts, ...texts.map((text) => [text, 1] as const)]);
  }

  /** @param language language of the passage */
  match(passage: PassageTerms, language: Language): Match {
    const counts = countOccurrences(passage.text);
    const length = passage.text.length + passage.title.size;
    const saturate = (term: string) => {
      const occurrence = { inText: counts.get(term) ?? 0, inTitle: passage.title.has(term) ? 1 : 0, length };
      return saturation(occurrence, this.#statistics.averageLength);
    };
    const matched = new Set<string>();
    let relevance = 0;
    for (const [{ words, total, nearWeights, nearTotal }, factor] of this.#getWords(language)) {
      let [score, missingNames, isSpecific] = [0, 0, false];
      for (const { word, terms, weight, isMarked, isName } of words) {
        const [exact = 0, unmarked = 0] = terms.map(saturate);
        const mean = terms.reduce((sum, term) => sum + saturate(term), 0) / terms.length;
        const share = isMarked ? exact || UNMARKED_SHARE * unmarked : mean;
        const isFound = share > 0;
        if (isFound) matched.add(word);
        else if (isName) missingNames++;
        if (isFound && (!genericWords.has(word) || terms.some((term) => passage.title.has(term)))) isSpecific = true;
        score += weight * share;
      }
      if (score === 0) continue;
      const near = findNearWeight(passage, nearWeights);
      const sum =
        (SCORE_SHARE * score) / total +
        (NEAR_SHARE * near) / nearTotal +
        NEAR_WEIGHT_SHARE * Math.min(MAX_NEAR_WEIGHT, near) -
        MISSING_NAME_SHARE * missingNames;
      relevance = Math.max(relevance, factor * (isSpecific ? 1 : GENERIC_FACTOR) * sum);
    }
    return { relevance: Math.round(Math.min(1, relevance) * 1_000) / 1_000, words: [...matched] };
  }

  #getWords(language: Language): readonly (readonly [QuestionWords, number])[] {
    const known = this.#wordsByLanguage.get(language);
    if (known) return known;
    const words = [...this.#questions].map(([text, factor]) => [this.#toWords(text, language), factor] as const);
    this.#wordsByLanguage.set(language, words);
    return words;
  }

  #toWords(text: string, language: Language): QuestionWords {
    // German writes all nouns with a capital letter.
    const capitalized = language === "de" ? [] : (text.match(name) ?? []);
    const names = new Set(extractWords(capitalized.join(" "), language).map(({ word }) => word));
    const words = toContentWords(text, language).map((word) => {
      const key = word.isMarked ? (word.terms[0] ?? "") : word.word;
      return { ...word, weight: this.#statistics.weights.get(key) ?? DEFAULT_WEIGHT, isName: names.has(word.word) };
    });
    const nearWeights = new Map(
      words.flatMap(({ terms, weight, isMarked }) => {
        const exact = isMarked ? terms.slice(0, 1) : terms;
        return exact.map((term) => [term, Math.min(MAX_WEIGHT, weight) / exact.length] as const);
      }),
    );
    const sum = (weights: Iterable<number>) => [...weights].reduce((total, weight) => total + weight, 0);
    return {
      words,
      total: sum(words.map(({ weight }) => weight)),
      nearWeights,
      nearTotal: sum(nearWeights.values()),
    };
  }
}
