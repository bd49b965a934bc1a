import * as v from "valibot";
import { PassageLocation } from "../blocks.ts";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, limitParam, TimestampInput, textOfAtMost } from "../fields.ts";
import { PassagePosition } from "./passages.ts";

const MAX_QUERY_LENGTH = 2_000;
const MAX_RESULTS = 100;

/** Passage that matches a search. */
export const KnowledgeResult = v.object({
  document_id: Id,
  chunk_id: describe(v.string(), "The id of the passage: document id, a dot and the position in the document."),
  passage: PassagePosition,
  page: describe(
    v.nullable(Integer),
    "The page or slide of the first highlight of the snippet, from 1. `null` in documents without pages.",
  ),
  heading: describe(
    v.nullable(v.string()),
    "The headings above the first highlight, outermost first. `null` if there are none.",
  ),
  collection_id: Id,
  title: v.string(),
  uri: v.nullable(v.string()),
  updated_at: PassageLocation.entries.updated_at,
  is_outdated: PassageLocation.entries.is_outdated,
  metadata: v.record(v.string(), v.string()),
  snippet: describe(v.string(), "The part of the passage that matches best, as a literal quote."),
  highlights: describe(
    v.array(v.object({ start: Integer, end: Integer })),
    "The words of the snippet that match, as offsets in UTF-16 code units; `end` is exclusive.",
  ),
  matched_terms: describe(v.array(v.string()), "The words of the query that the passage contains, in lower case."),
  language: describe(v.string(), "The detected language of the document as an ISO 639-1 code."),
  relevance: describe(
    v.number(),
    "The part of the query that the passage contains, from 0 to 1, or the similarity of the meaning if that is higher. Rare words, names and words near each other count more. Answers are made if one passage has at least 0.52, from those with half of that.",
  ),
  score: describe(
    v.number(),
    "The rank as a number. Higher is better. Scores are only comparable within one response.",
  ),
  scores: describe(
    v.object({
      words: v.nullable(v.number()),
      meaning: v.nullable(v.number()),
      fused: v.number(),
      rerank: v.nullable(v.number()),
    }),
    "The score in each stage of the search: `words` is the BM25 score, `meaning` the similarity of the vectors, `fused` the sum of both, each relative to the other passages, and `rerank` the score of the reranking provider. `null` where the passage was not found or ranked.",
  ),
});

const route = routeGroup({ group: "knowledge", auth: "jwt" });

export const searchKnowledgeRoute = route("GET /v1/knowledge/search", {
  id: "searchKnowledge",
  // All other query parameters are metadata filters, whose names the tenant chooses.
  query: v.objectWithRest(
    {
      q: v.pipe(
        v.string(),
        v.check((text) => text.trim() !== "", "must not be empty"),
        v.maxLength(MAX_QUERY_LENGTH, "must have at most 2,000 characters"),
      ),
      collection_id: v.optional(Id),
      limit: limitParam(MAX_RESULTS, 10),
      min_relevance: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^(?:0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/, "must be a number from 0 to 1"),
          v.transform(Number),
          v.metadata({ jsonSchema: { type: "number", minimum: 0, maximum: 1 } }),
        ),
        "0",
      ),
      rerank: describe(
        v.optional(v.picklist(["true", "false"])),
        "`true` ranks the best 20 passages again with the reranking provider, if one is configured.",
      ),
      updated_after: v.optional(TimestampInput),
      updated_before: v.optional(TimestampInput),
    },
    textOfAtMost(256),
  ),
  replies: { 200: v.object({ query: v.string(), results: v.array(KnowledgeResult) }) },
  errors: ["not_found"],
  summary: "Search knowledge",
  description:
    "Returns matching passages from all collections that the caller can read, best match first. `metadata.<name>=<value>` restricts the search to documents with that metadata value. `updated_after` and `updated_before` restrict it to documents whose latest version was added in that period. Multiple filters are combined with AND.",
});
