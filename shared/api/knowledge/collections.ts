import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, lineOf, pageOf, Timestamp, textOfAtMost } from "../fields.ts";

const Name = lineOf(100);
const Description = textOfAtMost(2_000);
const Visibility = describe(
  v.picklist(["private", "tenant"], "must be private or tenant"),
  "The users who can search the collection: only its owner (`private`) or all users in the tenant (`tenant`).",
);

/** Collection of documents that the assistant can search. */
export const Collection = v.object({
  id: Id,
  name: v.string(),
  description: v.string(),
  visibility: Visibility,
  document_count: Integer,
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
    visibility: v.optional(Visibility, "private"),
  }),
  replies: { 201: Collection },
  errors: ["conflict"],
  summary: "Create a knowledge collection",
  description: "Names are unique within the tenant, ignoring case.",
});

export const listCollectionsRoute = route("GET /v1/knowledge/collections", {
  id: "listCollections",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("collections", Collection) },
  summary: "List knowledge collections",
  description:
    "Returns the caller's own collections and those visible to the whole tenant in reverse chronological order.",
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
    visibility: v.optional(Visibility),
  }),
  replies: { 200: Collection },
  errors: ["forbidden", "conflict"],
  summary: "Update a knowledge collection",
  description:
    "Requires ownership or `rbac.manage`. A change of visibility reindexes the documents. Users who lose access stop finding them immediately.",
});

export const deleteCollectionRoute = route("DELETE /v1/knowledge/collections/{id}", {
  id: "deleteCollection",
  errors: ["forbidden", "conflict"],
  summary: "Delete a knowledge collection",
  description: "Deletes the collection with all its documents. Requires ownership or `rbac.manage`.",
});
