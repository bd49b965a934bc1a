import { findSetting } from "../../lib/env.ts";
import type { StoredPassage } from "../index/passage-store.ts";
import type { Audience } from "../knowledge-access.ts";

import { int8Similarity } from "../vectors/quantize.ts";
import type { FusedPassage, Fusion } from "./fuse-rankings.ts";
import { MIN_RELEVANCE } from "./relevance.ts";

/** Passage with its audience. */
interface PassageOfAudience extends StoredPassage {
  readonly audience: Audience;
}

/**
 * Replaces the estimated similarity of those passages that were read by the exact one, and ranks all passages again. Vectors
 * of another space are ignored.
 */
export function compareVectors(
  fused: readonly FusedPassage[],
  passages: readonly PassageOfAudience[],
  query: Float32Array,
  space: string,
  fusion: Fusion,
): FusedPassage[] {
  const similarities = new Map<string, number>(
    passages.flatMap(({ audience, passage, vector, space: vectorSpace }) =>
      vector && vectorSpace === space ? [[`${audience}#${passage}`, int8Similarity(query, vector)] as const] : [],
    ),
  );
  return fused
    .map((entry): FusedPassage => {
      const similarity = similarities.get(entry.key);
      if (similarity === undefined) return entry;
      const [words] = entry.scores;
      return { ...entry, score: fusion(words, similarity), scores: [words, similarity], similarity };
    })
    .sort((a, b) => b.score - a.score);
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
