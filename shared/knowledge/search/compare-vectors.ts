import { findSetting } from "../../lib/env.ts";
import type { StoredPassage } from "../index/passage-store.ts";
import type { Audience } from "../knowledge-access.ts";
import { int8Similarity } from "../vectors/quantize.ts";
import { DAMPING, type FusedPassage } from "./fuse-rankings.ts";
import { MIN_RELEVANCE } from "./relevance.ts";

/** Passage with its audience. */
interface PassageOfAudience extends StoredPassage {
  readonly audience: Audience;
}

/**
 * Ranks those passages that were read again: by the exact similarity of their vectors, fused with their rank by words. The
 * others follow in their order. Vectors of another space are ignored.
 */
export function compareVectors(
  fused: readonly FusedPassage[],
  passages: readonly PassageOfAudience[],
  query: Float32Array,
  space: string,
): FusedPassage[] {
  const similarities = new Map<string, number>(
    passages.flatMap(({ audience, passage, vector, space: vectorSpace }) =>
      vector && vectorSpace === space ? [[`${audience}#${passage}`, int8Similarity(query, vector)] as const] : [],
    ),
  );
  const readKeys = new Set<string>(passages.map(({ audience, passage }) => `${audience}#${passage}`));
  const compared = fused.filter(({ key }) => readKeys.has(key));
  const toRanks = (scoreOf: (entry: FusedPassage) => number | undefined) => {
    const scored = compared.filter((entry) => scoreOf(entry) !== undefined);
    const sorted = scored.sort((a, b) => (scoreOf(b) ?? 0) - (scoreOf(a) ?? 0));
    return new Map(sorted.map(({ key }, rank) => [key, 1 / (DAMPING + rank + 1)]));
  };
  const byWords = toRanks(({ scores }) => scores[0]);
  const byMeaning = toRanks(({ key }) => similarities.get(key));
  const reranked = compared.map((entry) => {
    const similarity = similarities.get(entry.key);
    const score = (byWords.get(entry.key) ?? 0) + (byMeaning.get(entry.key) ?? 0);
    return { ...entry, score, scores: [entry.scores[0], similarity], ...(similarity !== undefined && { similarity }) };
  });
  return [...reranked.sort((a, b) => b.score - a.score), ...fused.filter(({ key }) => !readKeys.has(key))];
}

/** Converts a similarity to a relevance: the configured minimum becomes the lowest relevance of an answer. */
export function toRelevance(similarity: number | undefined): number {
  if (similarity === undefined || similarity <= 0) return 0;
  const minimum = Number(findSetting("EMBEDDING_MIN_SIMILARITY") || "0.4");
  const relevance =
    similarity < minimum
      ? (similarity / minimum) * MIN_RELEVANCE
      : MIN_RELEVANCE + ((similarity - minimum) / (1 - minimum)) * (1 - MIN_RELEVANCE);
  return Math.round(Math.min(1, relevance) * 1_000) / 1_000;
}
