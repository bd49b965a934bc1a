import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, lineOf, pageOf, Timestamp, textOfAtMost } from "../fields.ts";
import { Readers, ReadersInput } from "./readers.ts";

const Name = lineOf(100);
const Description = textOfAtMost(2_000);
const Instructions = describe(
  textOfAtMost(500),
  "Instructions for answers that use the passages, such as `Quote, do not paraphrase.` The assistant follows what it says about quoting, form and tone.",
);
const MaxAgeDays = describe(
  v.nullable(v.pipe(Integer, v.minValue(1), v.maxValue(3_650))),
  "The age in days from which a version of a document is outdated, which answers say. `null` if none is.",
);

/** Collection of documents that the assistant can search. */
export const Collection = v.object({
  id: Id,
  name: v.string(),
  description: v.string(),
  instructions: v.optional(Instructions, ""),
  max_age_days: v.optional(MaxAgeDays, null),
  readers: Readers,
  document_count: describe(
    Integer,
    "The number of documents. Those with narrower readers count for the owner of the collection only.",
  ),
  owner_id: v.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Collection = v.InferOutput<typeof Collection>;

const route = routeGroup({ group: "knowledge", auth: "jwt" });

export const createCollectionRoute = route("POST /v1/knowledge/collections", {
  id: "createCollection",
  capability: "knowledge.create",
  body: v.strictObject({
    name: Name,
    description: v.optional(Description, ""),
    instructions: v.optional(Instructions, ""),
    max_age_days: v.optional(MaxAgeDays, null),
    readers: v.optional(ReadersInput, []),
  }),
  replies: { 201: Collection },
  errors: ["conflict"],
  summary: "Create a knowledge collection",
  description:
    "Names are unique among the collections of an owner, ignoring case. Returns 400 that names the readers of `readers` that do not exist.",
});

export const listCollectionsRoute = route("GET /v1/knowledge/collections", {
  id: "listCollections",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("collections", Collection) },
  summary: "List knowledge collections",
  description:
    "Returns the collections that the caller can read in reverse chronological order: own ones, and those of whose readers the caller is one now.",
});

export const getCollectionRoute = route("GET /v1/knowledge/collections/{id}", {
  id: "getCollection",
  replies: { 200: Collection },
  summary: "Get a knowledge collection",
});

export const updateCollectionRoute = route("PATCH /v1/knowledge/collections/{id}", {
  id: "updateCollection",
  body: v.strictObject({
    name: v.optional(Name),
    description: v.optional(Description),
    instructions: v.optional(Instructions),
    max_age_days: v.optional(MaxAgeDays),
    readers: v.optional(ReadersInput),
  }),
  replies: { 200: Collection },
  errors: ["forbidden", "conflict"],
  summary: "Update a knowledge collection",
  description:
    "Requires ownership or `rbac.manage`. A change of readers indexes the documents again. Users who lose access stop finding them immediately; users who gain it can open them immediately, and find them once they are indexed.",
});

export const deleteCollectionRoute = route("DELETE /v1/knowledge/collections/{id}", {
  id: "deleteCollection",
  errors: ["forbidden", "conflict"],
  summary: "Delete a knowledge collection",
  description: "Deletes the collection with all its documents. Requires ownership or `rbac.manage`.",
});
