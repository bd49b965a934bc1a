import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { IdParams, PathId, Timestamp } from "../fields.ts";

/** The deletion of everything somebody owns, and when it is done the receipt for it. */
export const DataDeletion = v.object({
  id: PathId,
  user_id: v.string(),
  requested_by: v.string(),
  status: v.picklist(["running", "completed"]),
  counts: v.pipe(v.record(v.string(), v.number()), v.description("How many of which kind were deleted so far")),
  requested_at: Timestamp,
  completed_at: v.nullable(Timestamp),
});
/** The deletion of everything somebody owns, and when it is done the receipt for it. */
export type DataDeletion = v.InferOutput<typeof DataDeletion>;

const deletions = { group: "data-deletions", auth: "jwt" } as const;

export const createDataDeletion = defineRoute({
  ...deletions,
  id: "createDataDeletion",
  method: "POST",
  path: "/v1/data-deletions",
  body: v.strictObject({
    user_id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._:@|-]{1,128}$/, "must be a user id")),
  }),
  replies: { 202: DataDeletion },
  errors: ["not_found", "forbidden"],
  summary: "Delete everything somebody owns",
  description:
    "One's own, or with `rbac.manage` that of anybody in the tenant; it cannot be undone. Deleted are conversations with all that is in them, notes, memories, personas, templates, feedback, collections with their documents, folders, exports and what others shared; pending approvals are cancelled. Kept are what was said in conversations of others, decided approvals, usage and the audit trail.",
});

export const getDataDeletion = defineRoute({
  ...deletions,
  id: "getDataDeletion",
  method: "GET",
  path: "/v1/data-deletions/{id}",
  params: IdParams,
  replies: { 200: DataDeletion },
  errors: ["not_found"],
  summary: "Read how a deletion stands, or its receipt",
  description: "For whose data it is, who requested it, and with `rbac.manage`.",
});
