import type { Block } from "../api/blocks.ts";
import type { KnowledgeHit } from "../knowledge/search/search-knowledge.ts";

/** Returns the source numbers, from 1, that an answer cites as `[n]`. */
function findCitedNumbers(text: string): ReadonlySet<number> {
  return new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)));
}

/** Returns the sources that an answer cites. */
export function citedSources(text: string, sources: readonly KnowledgeHit[]): KnowledgeHit[] {
  const cited = findCitedNumbers(text);
  return sources.filter((_, position) => cited.has(position + 1));
}

/** Returns a citation block for each source that an answer cites. Its quote is the snippet of the search (`extractSnippet`). */
export function toCitationBlocks(text: string, sources: readonly KnowledgeHit[]): Block[] {
  const cited = findCitedNumbers(text);
  return sources.flatMap((source, position) => {
    const { chunk_id, document_id, passage, page, heading, title, collection_id, uri, snippet, score } = source;
    const index = position + 1;
    if (!cited.has(index)) return [];
    return [
      {
        type: "citation",
        index,
        source_id: chunk_id,
        source_type: "document",
        document_id,
        passage,
        page,
        heading,
        title,
        collection_id,
        uri,
        quote: snippet,
        score,
      },
    ];
  });
}
