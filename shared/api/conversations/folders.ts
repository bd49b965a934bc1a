import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, lineOf, pageOf, Timestamp } from "../fields.ts";

const Name = lineOf(100);

/** Folder for conversations. Folders belong to one user and cannot be shared. */
export const Folder = v.object({
  id: Id,
  name: v.string(),
  parent_id: v.nullable(Id),
  conversation_count: describe(Integer, "The number of conversations in this folder, excluding subfolders."),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Folder = v.InferOutput<typeof Folder>;

const route = routeGroup({ group: "folders", auth: "jwt" });

export const createFolderRoute = route("POST /v1/folders", {
  id: "createFolder",
  body: v.strictObject({ name: Name, parent_id: v.nullish(Id, null) }),
  replies: { 201: Folder },
  errors: ["not_found", "conflict"],
  summary: "Create a folder",
  description:
    "Names are unique within a parent folder, ignoring case. Folders can be nested ten levels deep. Returns 404 if the parent folder does not belong to the caller.",
});

export const listFoldersRoute = route("GET /v1/folders", {
  id: "listFolders",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("folders", Folder) },
  summary: "List the caller's folders",
  description: "Returns folders of all levels in reverse chronological order. `parent_id` gives their nesting.",
});

export const getFolderRoute = route("GET /v1/folders/{id}", {
  id: "getFolder",
  replies: { 200: Folder },
  summary: "Get a folder",
});

export const updateFolderRoute = route("PATCH /v1/folders/{id}", {
  id: "updateFolder",
  body: v.strictObject({ name: v.optional(Name), parent_id: v.nullish(Id) }),
  replies: { 200: Folder },
  errors: ["conflict"],
  summary: "Rename or move a folder",
  description: "A folder cannot be moved into itself or one of its subfolders.",
});

export const deleteFolderRoute = route("DELETE /v1/folders/{id}", {
  id: "deleteFolder",
  errors: ["conflict"],
  summary: "Delete a folder",
  description:
    "Moves the conversations and subfolders to the parent folder. If the parent already has a folder with the same name, a number is appended to the name of the moved folder.",
});
