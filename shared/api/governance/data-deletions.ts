import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Integer, PathId, Timestamp, UserId } from "../fields.ts";
import { Held } from "./approvals.ts";

/** Erasure of a user's data, or hand-over of a user's content; once completed, the receipt of it. */
export const DataDeletion = v.object({
  id: PathId,
  user_id: v.string(),
  successor_id: describe(v.nullable(v.string()), "The person who gets the content; null for an erasure."),
  requested_by: v.string(),
  status: v.picklist(["running", "completed"]),
  counts: describe(
    v.record(v.string(), Integer),
    "The number of deleted resources by type, or of those that were handed over.",
  ),
  requested_at: Timestamp,
  completed_at: v.nullable(Timestamp),
});
export type DataDeletion = v.InferOutput<typeof DataDeletion>;

const route = routeGroup({ group: "data-deletions", auth: "jwt" });

export const createDataDeletionRoute = route("POST /v1/data-deletions", {
  id: "createDataDeletion",
  body: v.strictObject({
    user_id: UserId,
    successor_id: describe(
      v.optional(UserId),
      "Hands the content of the user over to this person instead of erasing it. Requires `users.hand_over`.",
    ),
  }),
  replies: { 202: v.union([Held, DataDeletion]) },
  replyHeaders: ["Location"],
  errors: ["not_found", "forbidden", "conflict"],
  summary: "Erase a user's data, or hand it over",
  description:
    "Users can erase their own data. With all permissions, the caller can erase the data of any user in the tenant; with `rbac.manage` alone, the request is an approval that another user decides (`approval` in the reply), because the user may have more rights than the caller. The erasure cannot be undone. It deletes conversations with their contents, notes, memories, personas, templates, feedback, collections with their documents, folders, exports and access to conversations of other users. It cancels pending approvals. Messages in conversations of other users, decided approvals, usage and the audit trail are retained. With `successor_id`, a deactivated user's conversations with all branches and files, folders, personas, templates, notes and collections become those of an active person instead. Their public links are revoked. Memories, feedback, exports, approvals and access to conversations of others stay with the user.",
});

export const getDataDeletionRoute = route("GET /v1/data-deletions/{id}", {
  id: "getDataDeletion",
  replies: { 200: DataDeletion },
  summary: "Get the status of a data deletion",
  description:
    "Available to the user whose data is erased, to the requester and to callers with `rbac.manage`. A completed deletion serves as its receipt.",
});
