import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Id } from "../fields.ts";

/** Longest question a search takes. */
const longestQuery = 2_000;

/** How many results a search gives at most. */
const mostResults = 100;

/** One passage that a search found. */
export const KnowledgeResult = v.object({
  document_id: Id,
  chunk_id: v.pipe(v.string(), v.description("Of the passage: the document's id, a dot, the passage's place in it")),
  collection_id: Id,
  title: v.string(),
  uri: v.nullable(v.string()),
  metadata: v.record(v.string(), v.string()),
  snippet: v.pipe(v.string(), v.description("The part of the passage that fits best, word for word")),
  score: v.pipe(v.number(), v.description("Comparable within one answer; higher is better")),
});

export const searchKnowledge = defineRoute({
  id: "searchKnowledge",
  group: "knowledge",
  method: "GET",
  path: "/v1/knowledge/search",
  auth: "jwt",
  // What else is in the query are the filters by metadata, whose names are the tenant's own.
  query: v.objectWithRest(
    {
      q: v.pipe(
        v.string(),
        v.check((text) => text.trim() !== "", "must not be empty"),
        v.maxLength(longestQuery, "must have at most 2,000 characters"),
      ),
      collection_id: v.optional(Id),
      limit: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^\d{1,4}$/, "must be a whole number"),
          v.transform(Number),
          v.minValue(1, "must be at least 1"),
          v.maxValue(mostResults, "must be at most 100"),
        ),
        "10",
      ),
    },
    v.pipe(v.string(), v.maxLength(256, "must have at most 256 characters")),
  ),
  replies: { 200: v.object({ query: v.string(), results: v.array(KnowledgeResult) }) },
  errors: ["not_found"],
  summary: "Search the knowledge the caller may read",
  description:
    "Passages of the caller's own and of the tenant's collections, best first. `metadata.<name>=<value>` keeps those whose document has that value; several narrow down together.",
});
