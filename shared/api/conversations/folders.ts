import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Integer, Limit, lineOf, pageOf, Timestamp } from "../fields.ts";

const Name = lineOf(100);

/** Folder for conversations. Folders belong to one user and cannot be shared. */
export const Folder = v.object({
  id: Id,
  name: v.string(),
  parent_id: v.nullable(Id),
  conversation_count: v.pipe(
    Integer,
    v.description("The number of conversations in this folder, excluding subfolders."),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Folder = v.InferOutput<typeof Folder>;

const group = { group: "folders", auth: "jwt" } as const;

export const createFolderRoute = defineRoute({
  ...group,
  id: "createFolder",
  method: "POST",
  path: "/v1/folders",
  body: v.strictObject({ name: Name, parent_id: v.nullish(Id, null) }),
  replies: { 201: Folder },
  errors: ["not_found", "conflict"],
  summary: "Create a folder",
  description:
    "Names are unique within a parent folder, ignoring case. Folders can be nested ten levels deep. Returns 404 if the parent folder does not belong to the caller.",
});

export const listFoldersRoute = defineRoute({
  ...group,
  id: "listFolders",
  method: "GET",
  path: "/v1/folders",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("folders", Folder) },
  errors: ["invalid_cursor"],
  summary: "List the caller's folders",
  description: "Returns folders of all levels in reverse chronological order. `parent_id` gives their nesting.",
});

export const getFolderRoute = defineRoute({
  ...group,
  id: "getFolder",
  method: "GET",
  path: "/v1/folders/{id}",
  params: IdParams,
  replies: { 200: Folder },
  errors: ["not_found"],
  summary: "Get a folder",
});

export const updateFolderRoute = defineRoute({
  ...group,
  id: "updateFolder",
  method: "PATCH",
  path: "/v1/folders/{id}",
  params: IdParams,
  body: v.strictObject({ name: v.optional(Name), parent_id: v.nullish(Id) }),
  replies: { 200: Folder },
  errors: ["not_found", "conflict"],
  summary: "Rename or move a folder",
  description: "A folder cannot be moved into itself or one of its subfolders.",
});

export const deleteFolderRoute = defineRoute({
  ...group,
  id: "deleteFolder",
  method: "DELETE",
  path: "/v1/folders/{id}",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found", "conflict"],
  summary: "Delete a folder",
  description:
    "Moves the conversations and subfolders to the parent folder. If the parent already has a folder with the same name, a number is appended to the name of the moved folder.",
});
