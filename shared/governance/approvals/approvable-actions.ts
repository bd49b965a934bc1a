import * as v from "valibot";
import { linkLifetimes } from "../../api/conversations/sharing.ts";
import { Id, UserId } from "../../api/fields.ts";
import type { Approval, ApprovalType } from "../../api/governance/approvals.ts";
import { TranscriptFormat } from "../../api/governance/policy.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import { fieldErrors } from "../../lib/field-errors.ts";

const Hours = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
  v.maxValue(168, "must be at most 168"),
);

/** Actions that the service executes itself after their approval, with approval type and schema of the parameters. */
export const approvableActions = {
  createShareLink: {
    type: "share",
    params: v.strictObject({ conversation_id: Id, expires_in: v.picklist(linkLifetimes) }),
  },
  exportConversation: { type: "export", params: v.strictObject({ conversation_id: Id, format: TranscriptFormat }) },
  createExport: { type: "export", params: v.strictObject({}) },
  readConversation: {
    type: "data_access",
    params: v.strictObject({ conversation_id: Id, hours: v.optional(Hours, 24) }),
  },
  eraseUser: { type: "data_access", params: v.strictObject({ user_id: UserId }) },
} as const satisfies Record<string, { type: ApprovalType; params: v.GenericSchema }>;

/** Name of an action that the service executes itself after its approval. */
export type ApprovableOperation = keyof typeof approvableActions;

export type ApprovableParams<Operation extends ApprovableOperation> = v.InferOutput<
  (typeof approvableActions)[Operation]["params"]
>;

/** Returns true if the service executes an operation after its approval. For other operations, the requester does. */
export function isApprovableOperation(operation: string): operation is ApprovableOperation {
  return Object.hasOwn(approvableActions, operation);
}

/**
 * Requires that an operation belongs to the approval type.
 * @throws ServiceError `validation_failed`
 */
export function assertOperationType(type: ApprovalType, operation: string): void {
  const expectedType = isApprovableOperation(operation) ? approvableActions[operation].type : "tool_execution";
  if (expectedType === type) return;
  throw invalidField("action.operation", "invalid_value", `is not an operation of type ${type}`);
}

/**
 * Validates the parameters of an action and returns them with defaults. Operations that the service does not execute
 * accept any parameters.
 * @param path path of the parameters in the request body
 * @throws ServiceError `validation_failed`
 */
export function validateParams({ operation, params }: Approval["action"], path: string): Approval["action"]["params"] {
  if (!isApprovableOperation(operation)) return params;
  const schema = approvableActions[operation].params as v.GenericSchema<Record<string, unknown>>;
  const result = v.safeParse(schema, params);
  if (result.success) return result.output;
  const errors = fieldErrors(result.issues, "body", path);
  throw new ServiceError("validation_failed", "The parameters of the action are invalid.", { errors });
}

/**
 * Validates the parameters that an approver edited. Ids must not change, because the requester was authorized only for
 * the resource or user with the original id.
 * @throws ServiceError `validation_failed`
 */
export function validateEditedParams(
  approval: Approval,
  params: Approval["action"]["params"],
): Approval["action"]["params"] {
  const { operation, params: requestedParams } = approval.action;
  const editedParams = validateParams({ operation, params }, "params");
  if (!isApprovableOperation(operation)) return editedParams;
  const changedId = Object.keys(editedParams).find(
    (name) => name.endsWith("_id") && editedParams[name] !== requestedParams[name],
  );
  if (!changedId) return editedParams;
  throw invalidField(`params.${changedId}`, "invalid_value", "must not change");
}
