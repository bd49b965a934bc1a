import * as v from "valibot";
import { linkLifetimes } from "../../api/conversations/sharing.ts";
import { Id } from "../../api/fields.ts";
import type { Approval, ApprovalType } from "../../api/governance/approvals.ts";
import { ExportFormat } from "../../api/governance/policy.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import { fieldErrors } from "../../lib/field-errors.ts";

const hours = v.pipe(
  v.number(),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
  v.maxValue(168, "must be at most 168"),
);

/** Actions that are carried out once they are approved: what kind they are of and what they are done with. */
export const heldActions = {
  createShareLink: {
    type: "share",
    params: v.strictObject({ conversation_id: Id, expires_in: v.picklist(linkLifetimes) }),
  },
  exportConversation: { type: "export", params: v.strictObject({ conversation_id: Id, format: ExportFormat }) },
  createExport: { type: "export", params: v.strictObject({}) },
  readConversation: {
    type: "data_access",
    params: v.strictObject({ conversation_id: Id, hours: v.optional(hours, 24) }),
  },
} as const satisfies Record<string, { type: ApprovalType; params: v.GenericSchema }>;

/** Name of an action that is carried out once it is approved. */
export type HeldOperation = keyof typeof heldActions;

/** What such an action is done with. */
export type HeldParams<Operation extends HeldOperation> = v.InferOutput<(typeof heldActions)[Operation]["params"]>;

/** Whether an action is one that is carried out once it is approved. */
export function isHeldOperation(operation: string): operation is HeldOperation {
  return Object.hasOwn(heldActions, operation);
}

/** @throws ServiceError `validation_failed` for an operation that is not of this type */
export function checkOperation(type: ApprovalType, operation: string): void {
  const known = isHeldOperation(operation) ? heldActions[operation].type : "tool_execution";
  if (known === type) return;
  throw invalidField({
    path: "action.operation",
    location: "body",
    code: "invalid_value",
    message: `is no operation of the type ${type}`,
  });
}

/**
 * What an action is done with, checked where it is one that is carried out here.
 * @param path where it stands in the body
 * @throws ServiceError `validation_failed`
 */
export function checkedParams({ operation, params }: Approval["action"], path: string): Approval["action"]["params"] {
  if (!isHeldOperation(operation)) return params;
  const checked = v.safeParse(heldActions[operation].params as v.GenericSchema<Record<string, unknown>>, params);
  if (checked.success) return checked.output;
  const errors = fieldErrors(checked.issues, "body", path);
  throw new ServiceError("validation_failed", "The parameters of the action are invalid.", { errors });
}

/**
 * What an action is to be done with after an edit. Whose conversation it is about is not up to who decides.
 * @throws ServiceError `validation_failed`
 */
export function editedParams(approval: Approval, params: Approval["action"]["params"]): Approval["action"]["params"] {
  const { operation, params: before } = approval.action;
  const edited = checkedParams({ operation, params }, "params");
  if (!isHeldOperation(operation) || edited.conversation_id === before.conversation_id) return edited;
  throw invalidField({
    path: "params.conversation_id",
    location: "body",
    code: "invalid_value",
    message: "must stay as it is",
  });
}
