import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Id, limitParam } from "../fields.ts";
import { HeadingPath, PageNumber, PassagePosition } from "./passages.ts";

const MAX_QUERY_LENGTH = 2_000;
const MAX_RESULTS = 100;

/** Passage that matches a search. */
export const KnowledgeResult = v.object({
  document_id: Id,
  chunk_id: v.pipe(
    v.string(),
    v.description("The id of the passage: document id, a dot and the position in the document."),
  ),
  passage: PassagePosition,
  page: PageNumber,
  heading: HeadingPath,
  collection_id: Id,
  title: v.string(),
  uri: v.nullable(v.string()),
  metadata: v.record(v.string(), v.string()),
  snippet: v.pipe(v.string(), v.description("The part of the passage that matches best, as a literal quote.")),
  score: v.pipe(
    v.number(),
    v.description("The relevance. Higher is better. Scores are only comparable within one response."),
  ),
});

export const searchKnowledge = defineRoute({
  id: "searchKnowledge",
  group: "knowledge",
  method: "GET",
  path: "/v1/knowledge/search",
  auth: "jwt",
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
    },
    v.pipe(v.string(), v.maxLength(256, "must have at most 256 characters")),
  ),
  replies: { 200: v.object({ query: v.string(), results: v.array(KnowledgeResult) }) },
  errors: ["not_found"],
  summary: "Search knowledge",
  description:
    "Returns matching passages from all collections that the caller can read, best match first. `metadata.<name>=<value>` restricts the search to documents with that metadata value. Multiple filters are combined with AND.",
});
