import type { Approval } from "../api/governance/approvals.ts";
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
import { completeEvent, findSlackEvent, type SlackAction } from "./event-store.ts";
import { findPerson, tellPerson } from "./find-person.ts";
import { escapeText } from "./mrkdwn.ts";
import type { WorkspaceClient } from "./workspace-client.ts";

/** Characters of the parameters of an action that are shown. */
const MAX_PARAMETER_CHARACTERS = 1_500;

/** Describes the action of an approval. Parameters come from a model, so nothing in them is markup. */
function describe({ action, reason }: Approval): string {
  const parameters = JSON.stringify(action.params, null, 2).slice(0, MAX_PARAMETER_CHARACTERS);
  const quoted = escapeText(parameters).replaceAll("`", "'");
  return `*${escapeText(reason ?? action.operation)}*\n\`\`\`${quoted}\`\`\``;
}

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

const button = (action_id: "approve" | "deny", text: string, style: string, value: string) => ({
  type: "button",
  action_id,
  text: { type: "plain_text", text },
  style,
  value,
});

/** Posts the request for a decision to the thread of the message that the run answers. */
export async function postApproval(
  scope: TenantScope,
  { call }: WorkspaceClient,
  slackEvent: { readonly workspace_id: string; readonly event_id: string },
  approvalId: string,
): Promise<void> {
  const [event, approval] = await Promise.all([findSlackEvent(scope, slackEvent), getApproval(scope, approvalId)]);
  if (!event || withCurrentStatus(approval).status !== "pending") return;
  const { channel, thread_ts, base_url } = event;
  const place = { channel, thread_ts, unfurl_links: false, unfurl_media: false };
  if (approval.run?.is_sign_in || approval.questions) {
    const url = `${base_url}/console/chat/${approval.run?.conversation_id}`;
    const need = approval.questions ? "A tool asks you a question" : "This needs your sign-in to a tool";
    await call("chat.postMessage", { ...place, text: `${need}: <${url}|continue there>.` });
    return;
  }
  const who =
    approval.decider === "requester" ? "Only you can confirm it." : "A person who may decide approvals decides.";
  await call("chat.postMessage", {
    ...place,
    text: "The assistant asks for an approval.",
    blocks: [
      section(`The assistant asks to use a tool. ${who}\n${describe(approval)}`),
      {
        type: "actions",
        elements: [button("approve", "Approve", "primary", approvalId), button("deny", "Deny", "danger", approvalId)],
      },
    ],
  });
}

/** Returns the approval after the decision of a person. @throws ServiceError `forbidden`, `conflict` */
async function decided(principal: UserPrincipal, approval: StoredApproval, decision: SlackAction["decision"]) {
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
 * Decides an approval as a person, with the rights of the routes `confirmApproval` and `decideApproval`.
 * @throws ServiceError
 */
async function decide(principal: UserPrincipal, action: SlackAction): Promise<StoredApproval> {
  const approval = await getApproval(principal, action.approval_id);
  // Buttons decide what was asked in their own workspace only.
  if (approval.run?.slack_event?.workspace_id !== action.workspace_id) throw notFound();
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

/** Applies the decision of a button, and shows it in the place of the buttons. */
export async function applyAction(scope: TenantScope, client: WorkspaceClient, action: SlackAction): Promise<void> {
  if (action.state !== "received") return;
  const principal = await findPerson(scope, client, action);
  try {
    if (principal) {
      const approval = await decide(principal, action);
      const { channel, message_ts: ts, slack_user } = action;
      const outcome = `${approval.status === "approved" ? "Approved" : "Denied"} by <@${slack_user}>.`;
      const text = `${describe(approval)}\n${outcome}`;
      await client.call("chat.update", { channel, ts, text: outcome, blocks: [section(text)] });
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    await tellPerson(client, action, error.message);
  }
  await completeEvent(scope, action);
}
