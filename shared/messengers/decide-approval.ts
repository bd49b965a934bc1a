import type { Approval } from "../api/governance/approvals.ts";
import type { Question } from "../api/tools/questions.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { ConditionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import {
  getApproval,
  type StoredApproval,
  transitionWrite,
  withCurrentStatus,
} from "../governance/approvals/approval-store.ts";
import { applyConfirmation, applyDecision } from "../governance/approvals/approval-transitions.ts";
import { timestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { resolveAccessRights } from "../tenancy/access-rights.ts";
import { authorizeDecider } from "../tenancy/api-key-store.ts";
import type { DecisionRequest, Markup, MessengerClient } from "./client.ts";
import { completeEvent, type MessengerAction, type StoredEvent } from "./event-store.ts";
import { findPerson } from "./find-person.ts";

/** Maximum length in characters of the parameters in a request for a decision. */
const MAX_PARAMETER_CHARACTERS = 1_500;

const toRequest = ({ action, reason }: Approval): DecisionRequest => ({
  title: reason ?? action.operation,
  parameters: JSON.stringify(action.params, null, 2).slice(0, MAX_PARAMETER_CHARACTERS),
});

/** Returns what a user is asked for. The question of a tool is shown in the console only, next to the name of its server. */
function toNeed([first]: readonly Question[], markup: Markup): string {
  return first?.server_name === null
    ? `The assistant asks: ${markup.escape(first.message)}`
    : "A tool asks you a question:";
}

/**
 * Posts a request for a decision to the thread of the message that the run answers. For a sign-in or questions of a
 * tool, posts a link to the console instead.
 */
export async function postApproval(
  scope: TenantScope,
  client: MessengerClient,
  event: StoredEvent,
  approvalId: string,
): Promise<void> {
  const approval = await getApproval(scope, approvalId);
  if (withCurrentStatus(approval).status !== "pending") return;
  if (approval.run?.is_sign_in || approval.questions) {
    const url = `${event.base_url}/console/chat/${approval.run?.conversation_id}`;
    const need = approval.questions ? toNeed(approval.questions, client.markup) : "This needs your sign-in to a tool:";
    await client.post(event, `${need} ${client.markup.link(url, "continue there")}.`, event.thread_id);
    return;
  }
  const who =
    approval.decider === "requester" ? "Only you can confirm it." : "A person who may decide approvals decides.";
  const intro = `The assistant asks to use a tool. ${who}`;
  await client.askForDecision(event, intro, toRequest(approval), approvalId);
}

/**
 * Returns the approval with the decision of a user, without storing it.
 * @throws ServiceError `forbidden` if the user may not decide, `conflict` if it was already decided
 */
async function decided(principal: UserPrincipal, approval: StoredApproval, decision: MessengerAction["decision"]) {
  const at = timestamp();
  if (approval.decider === "requester") return applyConfirmation(approval, { decision, by: principal.userId, at });
  const { permissions } = await resolveAccessRights(principal);
  if (!permissions.has("approval.decide")) {
    throw new ServiceError("forbidden", "Your roles do not include the decision on approvals.");
  }
  await authorizeDecider(principal, approval.requested_by);
  return applyDecision(approval, { decision, note: null, by: principal.userId, at });
}

/**
 * Decides an approval as a user. Requires the same permissions as the API operations `confirmApproval` and
 * `decideApproval`.
 * @throws ServiceError
 */
async function decide(principal: UserPrincipal, action: MessengerAction): Promise<StoredApproval> {
  const approval = await getApproval(principal, action.approval_id);
  // Buttons decide what was asked in their own workspace only.
  if (approval.run?.messenger_event?.workspace_id !== action.workspace_id) throw notFound();
  const next = await decided(principal, approval, action.decision);
  if (next === approval) return approval;
  const onConflict = () => new ServiceError("conflict", "The approval was decided before.");
  try {
    await tenantTable(principal).write(transitionWrite(principal, next, onConflict));
  } catch (error) {
    if (error instanceof ConditionFailed) throw onConflict();
    throw error;
  }
  return next;
}

/** Applies the decision of a pressed button, and replaces the buttons by it. Idempotent. */
export async function applyAction(scope: TenantScope, client: MessengerClient, action: MessengerAction): Promise<void> {
  if (action.state !== "received") return;
  const principal = await findPerson(scope, client, action);
  try {
    if (principal) {
      const approval = await decide(principal, action);
      await client.showDecision(action, toRequest(approval), approval.status === "approved");
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    await client.tell(action, error.message);
  }
  await completeEvent(scope, action);
}
