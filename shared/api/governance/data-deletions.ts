import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Integer, PathId, Timestamp, UserId } from "../fields.ts";
import { Held } from "./approvals.ts";

/** Erasure of a user's data; once completed, the receipt of it. */
export const DataDeletion = v.object({
  id: PathId,
  user_id: v.string(),
  requested_by: v.string(),
  status: v.picklist(["running", "completed"]),
  counts: describe(v.record(v.string(), Integer), "The number of deleted resources by type."),
  requested_at: Timestamp,
  completed_at: v.nullable(Timestamp),
});
export type DataDeletion = v.InferOutput<typeof DataDeletion>;

const route = routeGroup({ group: "data-deletions", auth: "jwt" });

export const createDataDeletionRoute = route("POST /v1/data-deletions", {
  id: "createDataDeletion",
  body: v.strictObject({
    user_id: UserId,
  }),
  replies: { 202: v.union([Held, DataDeletion]) },
  replyHeaders: ["Location"],
  errors: ["not_found", "forbidden"],
  summary: "Erase a user's data",
  description:
    "Users can erase their own data. With all permissions, the caller can erase the data of any user in the tenant; with `rbac.manage` alone, the request is an approval that another user decides (`approval` in the reply), because the user may have more rights than the caller. The erasure cannot be undone. It deletes conversations with their contents, notes, memories, personas, templates, feedback, collections with their documents, folders, exports and access to conversations of other users. It cancels pending approvals. Messages in conversations of other users, decided approvals, usage and the audit trail are retained.",
});

export const getDataDeletionRoute = route("GET /v1/data-deletions/{id}", {
  id: "getDataDeletion",
  replies: { 200: DataDeletion },
  summary: "Get the status of a data deletion",
  description:
    "Available to the user whose data is erased, to the requester and to callers with `rbac.manage`. A completed deletion serves as its receipt.",
});
