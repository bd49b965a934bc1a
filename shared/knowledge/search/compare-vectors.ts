import { findSetting, settings } from "../../lib/env.ts";
import type { StoredPassage } from "../index/passage-store.ts";
import type { Audience } from "../knowledge-access.ts";
import { codeScorer, int8Similarity } from "../vectors/quantize.ts";
import { MAX_SENTENCE_DIMENSIONS } from "../vectors/split-sentences.ts";
import type { FusedPassage, Fusion } from "./fuse-rankings.ts";
import { MIN_RELEVANCE } from "./relevance.ts";

interface PassageOfAudience extends StoredPassage {
  readonly audience: Audience;
}

/**
 * Returns a function that averages the similarity of a passage and that of its most similar sentence. Often a single
 * sentence answers a question and is not close to the vector of a passage about several topics.
 */
function sentenceComparer(query: Float32Array) {
  const score = codeScorer(query, MAX_SENTENCE_DIMENSIONS);
  const codeBytes = Math.ceil(Math.min(query.length, MAX_SENTENCE_DIMENSIONS) / 8);
  return (similarity: number, sentences: Uint8Array = new Uint8Array()): number => {
    let nearest = similarity;
    for (let offset = 0; offset + codeBytes <= sentences.length; offset += codeBytes) {
      nearest = Math.max(nearest, score(sentences, offset));
    }
    return (similarity + nearest) / 2;
  };
}

/**
 * Sorts passages by exact similarity.
 * @param fused passages with estimated similarities; those that were not read follow, because estimates and exact
 * values are not comparable
 * @param passages passages that were read; one without a vector in this space keeps its score
 */
export function compareVectors(
  fused: readonly FusedPassage[],
  passages: readonly PassageOfAudience[],
  query: Float32Array,
  space: string,
  fusion: Fusion,
): FusedPassage[] {
  const withSentences = sentenceComparer(query);
  const compared = new Map<string, { readonly similarity: number; readonly meaning: number }>(
    passages.flatMap(({ audience, passage, vector, sentences, space: vectorSpace }) => {
      if (!vector || vectorSpace !== space) return [];
      const similarity = int8Similarity(query, vector);
      return [[`${audience}#${passage}`, { similarity, meaning: withSentences(similarity, sentences) }] as const];
    }),
  );
  const readKeys = new Set(passages.map(({ audience, passage }) => `${audience}#${passage}`));
  const best = fused
    .filter(({ key }) => readKeys.has(key))
    .map((entry): FusedPassage => {
      const { similarity, meaning } = compared.get(entry.key) ?? {};
      if (similarity === undefined) return entry;
      const [words] = entry.scores;
      return { ...entry, score: fusion(words, meaning), scores: [words, meaning], similarity };
    })
    .sort((a, b) => b.score - a.score);
  const lowestScore = best.at(-1)?.score ?? Number.POSITIVE_INFINITY;
  const others = fused.filter(({ key }) => !readKeys.has(key));
  return [...best, ...others.map((entry) => ({ ...entry, score: Math.min(entry.score, lowestScore) }))];
}

/**
 * Converts a similarity to a relevance from 0 to 1. The similarity `EMBEDDING_MIN_SIMILARITY` becomes `MIN_RELEVANCE`.
 */
export function toRelevance(similarity: number | undefined): number {
  if (similarity === undefined || similarity <= 0) return 0;
  const minimum = Number(findSetting("EMBEDDING_MIN_SIMILARITY") || settings.model.EMBEDDING_MIN_SIMILARITY);
  const relevance =
    similarity < minimum
      ? (similarity / minimum) * MIN_RELEVANCE
      : MIN_RELEVANCE + ((similarity - minimum) / (1 - minimum)) * (1 - MIN_RELEVANCE);
  return Math.round(Math.min(1, relevance) * 1_000) / 1_000;
}
