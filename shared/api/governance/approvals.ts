import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { BooleanParam, Cursor, describe, Id, Integer, Limit, pageOf, Timestamp } from "../fields.ts";
import { JsonObject } from "../json.ts";
import { Question, QuestionAnswer } from "../tools/questions.ts";
import { ConsentExtent } from "../tools/tool-server.ts";
import { RiskLevel } from "./policy.ts";

const ApprovalType = v.picklist(["tool_execution", "export", "share", "data_access"]);
/** Kind of action that requires approval. */
export type ApprovalType = v.InferOutput<typeof ApprovalType>;

const ApprovalStatus = v.picklist(["pending", "approved", "denied", "cancelled", "expired"]);
export type ApprovalStatus = v.InferOutput<typeof ApprovalStatus>;

const Params = v.record(v.string(), v.unknown());
const ParamsInput = v.pipe(
  JsonObject,
  v.check((params) => JSON.stringify(params).length <= 32_000, "must have at most 32,000 characters"),
);
const Text = v.pipe(v.string(), v.trim(), v.maxLength(2_000, "must have at most 2,000 characters"));

/** Decider of an approval: a user with `approval.decide`, or the requester, who confirms what the assistant proposes to do. */
export const ApprovalDecider = v.picklist(["approver", "requester"]);
export type ApprovalDecider = v.InferOutput<typeof ApprovalDecider>;

/** Request to approve an action, its decision and its result. */
export const Approval = v.object({
  id: Id,
  type: ApprovalType,
  risk_level: RiskLevel,
  status: ApprovalStatus,
  action: v.object({ operation: v.string(), params: Params }),
  reason: v.nullable(v.string()),
  requested_by: v.string(),
  decider: describe(
    ApprovalDecider,
    "`approver`: another user with `approval.decide` decides. `requester`: the requester confirms, answers or cancels.",
  ),
  questions: describe(
    v.optional(v.array(Question)),
    "Questions of a tool server, which the requester answers (`answerApproval`) instead of confirming.",
  ),
  remember: describe(
    v.optional(ConsentExtent),
    "The longest extent that `confirmApproval` can remember for this call. Absent if the consent would have no effect on later calls.",
  ),
  decided_by: v.nullable(v.string()),
  decision: v.nullable(v.picklist(["approve", "deny", "edit"])),
  note: v.nullable(v.string()),
  result: describe(v.nullable(Params), "The result of the action. Null until it has been executed."),
  expires_at: Timestamp,
  created_at: Timestamp,
  decided_at: v.nullable(Timestamp),
});
export type Approval = v.InferOutput<typeof Approval>;

/** Conversation that a request would disclose, for its approver. */
export const DecidedConversation = v.object({
  title: v.string(),
  message_count: Integer,
  messages: describe(
    v.array(
      v.object({
        role: v.picklist(["user", "assistant", "alert", "system"]),
        text: v.string(),
        created_at: Timestamp,
      }),
    ),
    "The last messages, at most 20, each as Markdown of at most 4,000 characters.",
  ),
});
export type DecidedConversation = v.InferOutput<typeof DecidedConversation>;

/** Response to a request for an action that requires approval. */
export const Held = v.object({ approval: Approval });
export type Held = v.InferOutput<typeof Held>;

const route = routeGroup({ group: "approvals", auth: "jwt" });

export const createApprovalRoute = route("POST /v1/approvals", {
  id: "createApproval",
  body: v.strictObject({
    type: ApprovalType,
    risk_level: v.optional(RiskLevel, "medium"),
    reason: v.nullish(Text, null),
    action: v.strictObject({
      operation: v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(200)),
      params: v.optional(ParamsInput, {}),
    }),
  }),
  replies: { 201: Approval },
  errors: ["not_found", "forbidden"],
  summary: "Request an approval",
  description:
    "The service executes these operations once they are approved: `createShareLink` (type `share`, params `conversation_id` and `expires_in`), `exportConversation` (type `export`, params `conversation_id` and `format`), `createExport` (type `export`) and `readConversation` (type `data_access`, params `conversation_id` and `hours`), which gives an administrator temporary read access to another user's conversation, and `eraseUser` (type `data_access`, params `user_id`). A `tool_execution` can name any operation; the requester executes it after approval.",
});

export const listApprovalsRoute = route("GET /v1/approvals", {
  id: "listApprovals",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    status: v.optional(ApprovalStatus),
    mine: BooleanParam,
    to_decide: BooleanParam,
  }),
  replies: { 200: pageOf("approvals", Approval) },
  summary: "List approvals",
  description:
    "Returns approvals in reverse chronological order: the caller's own and, with `approval.decide`, those of all users. Set `mine=true` to return only the caller's own. Set `to_decide=true` to return only pending approvals that the caller can decide.",
});

export const getApprovalRoute = route("GET /v1/approvals/{id}", {
  id: "getApproval",
  replies: {
    200: v.object({
      ...Approval.entries,
      conversation: describe(
        v.optional(DecidedConversation),
        "The conversation that would be shared or exported; only for another person with `approval.decide`, while the request is pending.",
      ),
      input_schema: describe(
        v.optional(v.record(v.string(), v.unknown())),
        "The JSON Schema of `action.params`; only for calls of a server's tool, for another person with `approval.decide`, while the request is pending.",
      ),
    }),
  },
  summary: "Get an approval",
  description:
    "If the result contains a secret, such as the `token` of a share link, only the requester's first request returns it.",
});

export const decideApprovalRoute = route("POST /v1/approvals/{id}/decide", {
  id: "decideApproval",
  capability: "approval.decide",
  keys: "on_behalf",
  body: v.pipe(
    v.strictObject({
      decision: v.picklist(["approve", "deny", "edit"]),
      params: v.optional(ParamsInput),
      note: v.nullish(Text, null),
    }),
    v.forward(
      v.partialCheck(
        [["decision"], ["params"]],
        ({ decision, params }) => (decision === "edit") === (params !== undefined),
        "is required with the decision edit and not allowed otherwise",
      ),
      ["params"],
    ),
  ),
  replies: { 200: Approval },
  errors: ["conflict"],
  summary: "Decide an approval",
  description:
    "Users cannot decide their own approvals, or those that only the requester confirms (403). `edit` approves the action with different `params`. Repeating a decision has no effect. Returns 409 if the approval has been decided differently, has been canceled or has expired.",
});

export const confirmApprovalRoute = route("POST /v1/approvals/{id}/confirm", {
  id: "confirmApproval",
  body: v.strictObject({
    decision: v.picklist(["approve", "deny"], "must be approve or deny"),
    remember: describe(
      v.optional(ConsentExtent, "never"),
      "Calls of the same tool of a server, by the same persona, then need no further confirmation: in this conversation, or in all. The server limits the extent (`remember`).",
    ),
  }),
  replies: { 200: Approval },
  errors: ["forbidden", "conflict"],
  summary: "Confirm an action",
  description:
    "Approves or denies an action that the caller decides (`decider` is `requester`). Repeating a decision has no effect. Returns 403 if an approver must decide, and 409 if the approval has been decided differently, has been canceled or has expired.",
});

export const answerApprovalRoute = route("POST /v1/approvals/{id}/answer", {
  id: "answerApproval",
  body: v.strictObject({
    answers: describe(
      v.pipe(
        v.record(v.pipe(v.string(), v.maxLength(500)), QuestionAnswer),
        v.check((answers) => Object.keys(answers).length <= 20, "must have at most 20 answers"),
      ),
      "An answer to each question, by its `key`.",
    ),
  }),
  replies: { 200: Approval },
  errors: ["forbidden", "conflict"],
  summary: "Answer questions of a tool",
  description:
    "Answers the questions that a tool server asks while it executes a call for the caller; the reply continues with them. The answers go to that server and to no model. Returns 403 for questions to another user and approvals without questions, and 409 if they were answered differently, were canceled or have expired. `cancelApproval` ends the call without an answer.",
});

export const cancelApprovalRoute = route("POST /v1/approvals/{id}/cancel", {
  id: "cancelApproval",
  replies: { 200: Approval },
  errors: ["forbidden", "conflict"],
  summary: "Cancel an approval",
  description: "Only the requester can cancel an approval.",
});
