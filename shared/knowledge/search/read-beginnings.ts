import { findPassages } from "../index/passage-store.ts";
import type { KnowledgeReader } from "../knowledge-access.ts";
import { type KnowledgeHit, toHit } from "./knowledge-hit.ts";
import type { ReadableDocument } from "./readable-documents.ts";
import { QueryMatcher } from "./relevance.ts";

const unmatched = new QueryMatcher([], { weights: new Map(), averageLength: 1 });

/**
 * Returns the first passages of documents, for questions about a whole document, whose words need not occur in it. The
 * caller has checked that the reader may read the documents.
 * @param limit maximum number of passages in total, shared equally by the documents
 */
export async function readBeginnings(
  reader: KnowledgeReader,
  documents: readonly ReadableDocument[],
  limit: number,
): Promise<KnowledgeHit[]> {
  const share = Math.ceil(limit / Math.max(1, documents.length));
  const beginnings = documents.map(async (document) => {
    const { audience, first = 0, count = 0 } = document.placement ?? {};
    if (!audience) return [];
    const refs = Array.from({ length: Math.min(count, share) }, (_, index) => ({ audience, passage: first + index }));
    const passages = await findPassages(reader, refs);
    return passages
      .toSorted((one, other) => one.place - other.place)
      .map((passage) => {
        const ranked = {
          ...{ key: "", audience, passage: passage.passage, score: 0 },
          scores: [undefined, undefined],
        } as const;
        return toHit("", unmatched, { ranked, passage, document });
      });
  });
  return (await Promise.all(beginnings)).flat().slice(0, limit);
}
