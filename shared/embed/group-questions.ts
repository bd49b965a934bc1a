import { type EmbeddingSpace, EmbeddingUnavailable, embedTexts } from "../embeddings/embedding-provider.ts";
import { toContentWords } from "../knowledge/search/content-words.ts";
import { findSetting, settings } from "../lib/env.ts";
import { detectLanguage, type Language } from "../lib/language/languages.ts";
import { log } from "../lib/log.ts";

/** Returns how similar two of the texts are, from 0 to 1, by their positions. */
type Similarity = (one: number, other: number) => number;

/** Similarity of texts, and the average from which on groups of them are one. */
interface Comparison {
  readonly similarity: Similarity;
  readonly threshold: number;
}

/**
 * Minimum similarity of two groups by words. Calibrated with one half of `test/support/embed/question-topics.ts`; the rates of the
 * other half are in `test/unit/embed/group-questions.test.ts`.
 */
const MIN_WORD_SIMILARITY = 0.1;

/** Timeout of a request for the vectors of a page of questions. */
const TIMEOUT_MS = 5_000;

/**
 * Returns the cosine of the content words of two texts, weighted by their inverse frequency. A short question often does not tell its
 * language, so that two of them are compared in the languages of both.
 */
function compareWords(texts: readonly string[]): Comparison {
  const ofTexts = texts.map((text) => detectLanguage(text));
  const languages = [...new Set(ofTexts)];
  const termsOf = (text: string, language: Language) =>
    new Set(toContentWords(text, language).map(({ word, terms }) => terms.at(-1) ?? word));
  const inLanguages = texts.map((text) => new Map(languages.map((language) => [language, termsOf(text, language)])));
  const counts = new Map<string, number>();
  for (const byLanguage of inLanguages) {
    const distinct = new Set([...byLanguage.values()].flatMap((terms) => [...terms]));
    for (const term of distinct) counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const weightOf = (term: string) => Math.log(1 + texts.length / (counts.get(term) ?? 1)) ** 2;
  const sumWeights = (terms: readonly string[]) => terms.reduce((sum, term) => sum + weightOf(term), 0);
  const weighted = inLanguages.map(
    (byLanguage) =>
      new Map(
        [...byLanguage].map(([language, terms]) => [language, { terms, norm: Math.sqrt(sumWeights([...terms])) }]),
      ),
  );
  const compare = (one: number, other: number, language: Language) => {
    const [first, second] = [weighted[one]?.get(language), weighted[other]?.get(language)];
    if (!first || !second) return 0;
    const common = sumWeights([...first.terms].filter((term) => second.terms.has(term)));
    return common === 0 ? 0 : common / (first.norm * second.norm);
  };
  const similarity: Similarity = (one, other) => {
    const [first = "en", second = "en"] = [ofTexts[one], ofTexts[other]];
    const score = compare(one, other, first);
    return first === second ? score : Math.max(score, compare(one, other, second));
  };
  return { similarity, threshold: MIN_WORD_SIMILARITY };
}

/** Returns the cosine of vectors. Questions are as similar as one is to a passage that answers it. */
function compareMeanings(vectors: readonly Float32Array[]): Comparison {
  const similarity: Similarity = (one, other) => {
    const second = vectors[other];
    return vectors[one]?.reduce((sum, value, index) => sum + value * (second?.[index] ?? 0), 0) ?? 0;
  };
  const threshold = Number(findSetting("EMBEDDING_MIN_SIMILARITY") || settings.model.EMBEDDING_MIN_SIMILARITY);
  return { similarity, threshold };
}

/**
 * Merges the two most similar groups until no two are similar enough: agglomerative clustering with average linkage. It is
 * deterministic, and takes cubic time.
 */
function cluster(count: number, { similarity, threshold }: Comparison): number[][] {
  const groups = Array.from({ length: count }, (_, index) => [index]);
  // Sums of the similarities between the members of two groups.
  const sums = groups.map((_, one) => Float64Array.from(groups, (__, other) => similarity(one, other)));
  let remaining = groups.map((_, index) => index);
  for (;;) {
    let [first, second, highest] = [-1, -1, 0];
    for (const one of remaining) {
      const row = sums[one] as Float64Array;
      const size = groups[one]?.length ?? 1;
      for (const other of remaining) {
        if (other <= one) continue;
        const average = (row[other] ?? 0) / (size * (groups[other]?.length ?? 1));
        if (average >= threshold && average > highest) [first, second, highest] = [one, other, average];
      }
    }
    if (first < 0) break;
    groups[first] = [...(groups[first] ?? []), ...(groups[second] ?? [])];
    remaining = remaining.filter((index) => index !== second);
    for (const third of remaining) {
      const sum = (sums[first]?.[third] ?? 0) + (sums[second]?.[third] ?? 0);
      for (const [row, column] of [
        [first, third],
        [third, first],
      ] as const) {
        const values = sums[row];
        if (values) values[column] = sum;
      }
    }
  }
  return remaining.map((index) => (groups[index] ?? []).toSorted((one, other) => one - other));
}

/** Groups of texts, each with the positions of its members in order. */
interface Grouping {
  readonly groups: readonly (readonly number[])[];
  /** Vectors of the texts; null without an embedding provider, or if it failed. */
  readonly vectors: readonly Float32Array[] | null;
}

/**
 * Groups questions about the same topic: by meaning with an embedding provider, and by their words without one, or if it fails.
 * @param space embedding space of the provider, if there is one
 */
export async function groupQuestions(texts: readonly string[], space: EmbeddingSpace | null): Promise<Grouping> {
  const vectors = space && (await embedOrDegrade(space, texts));
  const comparison = vectors ? compareMeanings(vectors) : compareWords(texts);
  return { groups: cluster(texts.length, comparison), vectors };
}

async function embedOrDegrade(space: EmbeddingSpace, texts: readonly string[]): Promise<Float32Array[] | null> {
  try {
    return await embedTexts(space, texts, TIMEOUT_MS);
  } catch (error) {
    if (!(error instanceof EmbeddingUnavailable)) throw error;
    log.error("grouping by meaning failed", { error });
    return null;
  }
}
