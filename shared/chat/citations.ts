import type { Block } from "../api/blocks.ts";
import type { KnowledgeHit } from "../knowledge/search/search-knowledge.ts";

/** The numbers, from 1, by which an answer cites its sources as `[n]`. */
function citedNumbers(text: string): ReadonlySet<number> {
  return new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)));
}

/** The sources that an answer cites. */
export function citedSources(text: string, sources: readonly KnowledgeHit[]): KnowledgeHit[] {
  const cited = citedNumbers(text);
  return sources.filter((_, position) => cited.has(position + 1));
}

/** The sources that an answer cites, as blocks; each quotes its source word for word. */
export function citationsOf(text: string, sources: readonly KnowledgeHit[]): Block[] {
  const cited = citedNumbers(text);
  return sources.flatMap(({ chunk_id, title, collection_id, uri, snippet, score }, position) => {
    const index = position + 1;
    if (!cited.has(index)) return [];
    return [
      {
        type: "citation",
        index,
        source_id: chunk_id,
        source_type: "document",
        title,
        collection_id,
        uri,
        quote: snippet,
        score,
      },
    ];
  });
}
