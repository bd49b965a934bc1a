import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { BooleanParam, Cursor, Id, IdParams, Limit, pageOf, Timestamp } from "../fields.ts";
import { JsonObject } from "../json.ts";
import { RiskLevel } from "./policy.ts";

const ApprovalType = v.picklist(["tool_execution", "export", "share", "data_access"]);
/** What kind of action an approval is about. */
export type ApprovalType = v.InferOutput<typeof ApprovalType>;

const ApprovalStatus = v.picklist(["pending", "approved", "denied", "cancelled", "expired"]);
/** How an approval stands. */
export type ApprovalStatus = v.InferOutput<typeof ApprovalStatus>;

const Params = v.record(v.string(), v.unknown());
const GivenParams = v.pipe(
  JsonObject,
  v.check((params) => JSON.stringify(params).length <= 32_000, "must have at most 32,000 characters"),
);
const Text = v.pipe(v.string(), v.trim(), v.maxLength(2_000, "must have at most 2,000 characters"));

/** An action that waits for somebody's word, and what became of it. */
export const Approval = v.object({
  id: Id,
  type: ApprovalType,
  risk_level: RiskLevel,
  status: ApprovalStatus,
  action: v.object({ operation: v.string(), params: Params }),
  reason: v.nullable(v.string()),
  requested_by: v.string(),
  decided_by: v.nullable(v.string()),
  decision: v.nullable(v.picklist(["approve", "deny", "edit"])),
  note: v.nullable(v.string()),
  result: v.pipe(v.nullable(Params), v.description("What came of the action; null until it was carried out")),
  expires_at: Timestamp,
  created_at: Timestamp,
  decided_at: v.nullable(Timestamp),
});
/** An action that waits for somebody's word, and what became of it. */
export type Approval = v.InferOutput<typeof Approval>;

/** The answer to a request whose action needs sign-off. */
export const Held = v.object({ approval: Approval });
/** The answer to a request whose action needs sign-off. */
export type Held = v.InferOutput<typeof Held>;

const approvals = { group: "approvals", auth: "jwt" } as const;

export const createApproval = defineRoute({
  ...approvals,
  id: "createApproval",
  method: "POST",
  path: "/v1/approvals",
  body: v.strictObject({
    type: ApprovalType,
    risk_level: v.optional(RiskLevel, "medium"),
    reason: v.nullish(Text, null),
    action: v.strictObject({
      operation: v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(200)),
      params: v.optional(GivenParams, {}),
    }),
  }),
  replies: { 201: Approval },
  errors: ["not_found", "forbidden"],
  summary: "Request an approval",
  description:
    "Operations that are carried out once approved: `createShareLink` (type `share`; `conversation_id`, `expires_in`), `exportConversation` (`export`; `conversation_id`, `format`), `createExport` (`export`) and `readConversation` (`data_access`; `conversation_id`, `hours`: lets an administrator read somebody else's conversation for a time). A `tool_execution` may be anything; to carry it out is the requester's affair.",
});

export const listApprovals = defineRoute({
  ...approvals,
  id: "listApprovals",
  method: "GET",
  path: "/v1/approvals",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    status: v.optional(ApprovalStatus),
    mine: BooleanParam,
    to_decide: BooleanParam,
  }),
  replies: { 200: pageOf("approvals", Approval) },
  errors: ["invalid_cursor"],
  summary: "List approvals",
  description:
    "The caller's own and, with `approval.decide`, everybody's; newest first. `mine=true`: the caller's own only. `to_decide=true`: pending ones that the caller can decide.",
});

export const getApproval = defineRoute({
  ...approvals,
  id: "getApproval",
  method: "GET",
  path: "/v1/approvals/{id}",
  params: IdParams,
  replies: { 200: Approval },
  errors: ["not_found"],
  summary: "Read an approval",
  description:
    "Where its result has a secret, such as the `token` of a link, the requester finds it there the first time and never again.",
});

export const decideApproval = defineRoute({
  ...approvals,
  id: "decideApproval",
  method: "POST",
  path: "/v1/approvals/{id}/decide",
  capability: "approval.decide",
  params: IdParams,
  body: v.pipe(
    v.strictObject({
      decision: v.picklist(["approve", "deny", "edit"]),
      params: v.optional(GivenParams),
      note: v.nullish(Text, null),
    }),
    v.forward(
      v.partialCheck(
        [["decision"], ["params"]],
        ({ decision, params }) => (decision === "edit") === (params !== undefined),
        "belongs to the decision edit, and to it only",
      ),
      ["params"],
    ),
  ),
  replies: { 200: Approval },
  errors: ["not_found", "conflict"],
  summary: "Decide an approval",
  description:
    "Never one's own (403). `edit` approves the action with other `params`. The same decision again changes nothing, another one is a 409, as is one that comes too late.",
});

export const cancelApproval = defineRoute({
  ...approvals,
  id: "cancelApproval",
  method: "POST",
  path: "/v1/approvals/{id}/cancel",
  params: IdParams,
  replies: { 200: Approval },
  errors: ["not_found", "forbidden", "conflict"],
  summary: "Cancel an approval one has requested",
});
