import { searchKnowledgeRoute } from "#shared/api/knowledge/knowledge.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getCollection } from "#shared/knowledge/collection-store.ts";
import { parseMetadataFilters } from "#shared/knowledge/knowledge-access.ts";
import { searchKnowledge } from "#shared/knowledge/search/search-knowledge.ts";

export const searchKnowledgeHandler = endpoint(searchKnowledgeRoute, async ({ principal, query }) => {
  const { q, collection_id, limit, min_relevance, rerank, updated_after, updated_before, ...rest } = query;
  if (collection_id !== undefined) await getCollection(principal, collection_id);
  const hits = await searchKnowledge(principal, {
    text: q,
    limit,
    minRelevance: 0,
    rerank: rerank === "true",
    ...(updated_after !== undefined && { updatedAfter: updated_after }),
    ...(updated_before !== undefined && { updatedBefore: updated_before }),
    ...(collection_id !== undefined && { collectionIds: [collection_id] }),
    ...parseMetadataFilters(rest),
  });
  return { query: q, results: hits.filter(({ relevance }) => relevance >= min_relevance) };
});
