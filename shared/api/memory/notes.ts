import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { BooleanParam, Cursor, describe, Id, Limit, lineOf, pageOf, Timestamp, textOfAtMost } from "../fields.ts";

const Title = lineOf(200);
// A full page of maximum-size notes stays within the Lambda response limit of 6 MB.
const Body = textOfAtMost(16_000);
const Tag = lineOf(50);
const Tags = v.pipe(
  v.array(Tag),
  v.maxLength(20, "must have at most 20 entries"),
  v.transform((tags) => [...new Set(tags)]),
);

/** Personal note of a user. */
export const Note = v.object({
  id: Id,
  title: v.string(),
  body: v.string(),
  tags: v.array(v.string()),
  pinned: v.boolean(),
  conversation_id: describe(v.nullable(Id), "The conversation in which the assistant can use the note."),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Note = v.InferOutput<typeof Note>;

const route = routeGroup({ group: "notes", auth: "jwt" });

export const createNoteRoute = route("POST /v1/notes", {
  id: "createNote",
  body: v.strictObject({
    title: Title,
    body: v.optional(Body, ""),
    tags: v.optional(Tags, []),
    pinned: v.optional(v.boolean(), false),
    conversation_id: v.nullish(Id, null),
  }),
  replies: { 201: Note },
  errors: ["not_found"],
  summary: "Create a note",
});

export const listNotesRoute = route("GET /v1/notes", {
  id: "listNotes",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    q: describe(
      v.optional(v.pipe(v.string(), v.maxLength(200))),
      "Words to search for in title, body and tags. All of them must occur; case is ignored.",
    ),
    tag: v.optional(v.pipe(v.string(), v.maxLength(50))),
    pinned: BooleanParam,
    conversation_id: v.optional(Id),
  }),
  replies: { 200: pageOf("notes", Note) },
  summary: "List the caller's notes",
  description: "Returns notes in reverse chronological order.",
});

export const getNoteRoute = route("GET /v1/notes/{id}", {
  id: "getNote",
  replies: { 200: Note },
  summary: "Get a note",
});

export const updateNoteRoute = route("PATCH /v1/notes/{id}", {
  id: "updateNote",
  body: v.strictObject({
    title: v.optional(Title),
    body: v.optional(Body),
    tags: v.optional(Tags),
    pinned: v.optional(v.boolean()),
    conversation_id: v.nullish(Id),
  }),
  replies: { 200: Note },
  summary: "Update a note",
});

export const deleteNoteRoute = route("DELETE /v1/notes/{id}", {
  id: "deleteNote",
  summary: "Delete a note",
});
