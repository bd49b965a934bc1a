import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, pageOf, Timestamp } from "../fields.ts";

const Name = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, "must not be empty"),
  v.maxLength(100, "must have at most 100 characters"),
);

/** A place where somebody keeps conversations; folders are personal. */
export const Folder = v.object({
  id: Id,
  name: v.string(),
  parent_id: v.nullable(Id),
  conversation_count: v.pipe(v.number(), v.description("Conversations right in it, those in folders below it aside")),
  created_at: Timestamp,
  updated_at: Timestamp,
});
/** A place where somebody keeps conversations. */
export type Folder = v.InferOutput<typeof Folder>;

const group = { group: "folders", auth: "jwt" } as const;

export const createFolder = defineRoute({
  ...group,
  id: "createFolder",
  method: "POST",
  path: "/v1/folders",
  body: v.strictObject({ name: Name, parent_id: v.nullish(Id, null) }),
  replies: { 201: Folder },
  errors: ["not_found", "conflict"],
  summary: "Create a folder",
  description:
    "Names are unique under one parent, in any case. Folders can be ten deep. A parent that is not the caller's is a 404.",
});

export const listFolders = defineRoute({
  ...group,
  id: "listFolders",
  method: "GET",
  path: "/v1/folders",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("folders", Folder) },
  errors: ["invalid_cursor"],
  summary: "List the caller's folders",
  description: "All of them, newest first; `parent_id` says how they are nested.",
});

export const getFolder = defineRoute({
  ...group,
  id: "getFolder",
  method: "GET",
  path: "/v1/folders/{id}",
  params: IdParams,
  replies: { 200: Folder },
  errors: ["not_found"],
  summary: "Read a folder",
});

export const updateFolder = defineRoute({
  ...group,
  id: "updateFolder",
  method: "PATCH",
  path: "/v1/folders/{id}",
  params: IdParams,
  body: v.strictObject({ name: v.optional(Name), parent_id: v.nullish(Id) }),
  replies: { 200: Folder },
  errors: ["not_found", "conflict"],
  summary: "Rename or move a folder",
  description: "A folder cannot be moved into itself or what is below it.",
});

export const deleteFolder = defineRoute({
  ...group,
  id: "deleteFolder",
  method: "DELETE",
  path: "/v1/folders/{id}",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found", "conflict"],
  summary: "Delete a folder",
  description:
    "Its conversations and the folders in it move to its parent, and are kept. Where the parent has a folder of that name already, the one that moves gets a number.",
});
