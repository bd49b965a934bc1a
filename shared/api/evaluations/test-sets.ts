import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, Id, Limit, lineOf, pageOf, Timestamp, textOfAtMost } from "../fields.ts";

/** Questions with which versions of a persona are tested. */
export const TestSet = v.object({
  id: Id,
  persona_id: Id,
  name: v.string(),
  description: v.string(),
  author_id: v.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type TestSet = v.InferOutput<typeof TestSet>;

const fields = { name: lineOf(100), description: textOfAtMost(2_000) };

const route = routeGroup({ group: "personas", auth: "jwt" });

const rights = "Only the owner of the persona and administrators can.";

export const listTestSetsRoute = route("GET /v1/test-sets", {
  id: "listTestSets",
  query: v.object({ persona_id: Id, limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("test_sets", TestSet) },
  errors: ["forbidden"],
  summary: "List the test sets of a persona",
  description: `Returns the newest first. ${rights}`,
});

export const createTestSetRoute = route("POST /v1/test-sets", {
  id: "createTestSet",
  body: v.strictObject({
    persona_id: Id,
    name: fields.name,
    description: v.optional(fields.description, ""),
  }),
  replies: { 201: TestSet },
  errors: ["forbidden"],
  summary: "Create a test set",
  description: `Creates an empty set of questions for a persona. ${rights}`,
});

export const getTestSetRoute = route("GET /v1/test-sets/{id}", {
  id: "getTestSet",
  replies: { 200: TestSet },
  errors: ["forbidden"],
  summary: "Get a test set",
});

export const updateTestSetRoute = route("PATCH /v1/test-sets/{id}", {
  id: "updateTestSet",
  body: v.strictObject({ name: v.optional(fields.name), description: v.optional(fields.description) }),
  replies: { 200: TestSet },
  errors: ["forbidden"],
  summary: "Update a test set",
});

export const deleteTestSetRoute = route("DELETE /v1/test-sets/{id}", {
  id: "deleteTestSet",
  errors: ["forbidden"],
  summary: "Delete a test set",
  description: "Deletes the set with its items. Sets are also deleted with their persona.",
});
