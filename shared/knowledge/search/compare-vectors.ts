import { findSetting } from "../../lib/env.ts";
import type { StoredDocument } from "../document-store.ts";
import type { StoredPassage } from "../index/passage-store.ts";
import { int8Similarity } from "../vectors/quantize.ts";
import { DAMPING, type FusedPassage } from "./fuse-rankings.ts";
import { MIN_RELEVANCE } from "./relevance.ts";

/** Readable passage that matches the filters of a query. */
export interface Candidate {
  readonly ranked: FusedPassage;
  readonly passage: StoredPassage;
  readonly document: StoredDocument;
}

/**
 * Ranks candidates again by the exact similarity of their vectors, fused with their rank by words. Vectors of another space
 * are ignored.
 */
export function compareVectors(candidates: readonly Candidate[], query: Float32Array, space: string): Candidate[] {
  const compared = candidates.map((candidate) => {
    const { vector, space: vectorSpace } = candidate.passage;
    return { candidate, similarity: vector && vectorSpace === space ? int8Similarity(query, vector) : undefined };
  });
  const toRanks = (scoreOf: (entry: (typeof compared)[number]) => number | undefined) => {
    const scored = compared.filter((entry) => scoreOf(entry) !== undefined);
    const sorted = scored.sort((a, b) => (scoreOf(b) ?? 0) - (scoreOf(a) ?? 0));
    return new Map(sorted.map((entry, rank) => [entry.candidate, 1 / (DAMPING + rank + 1)]));
  };
  const byWords = toRanks(({ candidate }) => candidate.ranked.scores[0]);
  const byMeaning = toRanks(({ similarity }) => similarity);
  return compared
    .map(({ candidate, similarity }) => {
      const score = (byWords.get(candidate) ?? 0) + (byMeaning.get(candidate) ?? 0);
      const scores = [candidate.ranked.scores[0], similarity];
      return {
        ...candidate,
        ranked: { ...candidate.ranked, score, scores, ...(similarity !== undefined && { similarity }) },
      };
    })
    .sort((a, b) => b.ranked.score - a.ranked.score);
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
