import type { IncidentAction } from "../../api/webhooks/write-back.ts";
import { TransactionFailed } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { newApproval, newApprovalWrites, type StoredApproval } from "../../governance/approvals/approval-store.ts";
import { timestamp } from "../../lib/clock.ts";
import { newId } from "../../lib/ids.ts";
import type { StoredInvestigation } from "../investigation-store.ts";
import type { Destination } from "./find-destination.ts";
import { changeUpdate, findUpdate, newUpdateWrite, type StoredUpdate } from "./update-store.ts";

/** Update of an incident in its monitoring tool, requested by a user or automatically when an investigation ends. */
interface RequestedUpdate {
  readonly action: IncidentAction;
  readonly text: string | null;
  /** Id of the update, for idempotency: a second request with the same id stores nothing. */
  readonly id?: string;
}

/**
 * Stores an update and, if the settings require one, its approval. The rule
 * `schedule-incident-update` then schedules its delivery. Idempotent for an update with an id.
 */
export async function requestUpdate(
  member: UserScope,
  investigation: StoredInvestigation,
  { settings, target }: Destination,
  { action, text, id: givenId }: RequestedUpdate,
): Promise<StoredUpdate> {
  const { provider, url } = settings;
  const id = givenId ?? newId();
  const mode = settings.actions[action];
  const params = { investigation_id: investigation.id, action, provider, site: new URL(url).host, target };
  const approval: StoredApproval | null =
    mode === "auto"
      ? null
      : {
          ...newApproval(member.userId, {
            type: "tool_execution",
            risk_level: "medium",
            action: { operation: "updateIncident", params: { ...params, ...(text !== null && { text }) } },
            decider: mode === "confirm" ? "requester" : "approver",
          }),
          incident_update: { id, investigation_id: investigation.id },
        };
  const created_at = timestamp();
  const update: StoredUpdate = {
    id,
    investigation_id: investigation.id,
    conversation_id: investigation.conversation_id,
    channel_id: investigation.channel_id,
    action,
    text,
    provider,
    target,
    url,
    status: approval ? "waiting" : "pending",
    approval_id: approval?.id ?? null,
    expires_at: approval?.expires_at ?? null,
    requested_by: member.userId,
    attempts: 0,
    next_attempt_at: approval ? null : created_at,
    error: null,
    created_at,
    delivered_at: null,
  };
  try {
    const writes = approval ? newApprovalWrites(member, approval) : [];
    await tenantTable(member).transact([newUpdateWrite(member, update), ...writes]);
  } catch (error) {
    // It has been requested before.
    if (givenId === undefined || !(error instanceof TransactionFailed)) throw error;
  }
  return update;
}

/** Releases an update after its approval, or marks it as denied after another decision. Idempotent. */
export async function decideUpdate(scope: TenantScope, approval: StoredApproval): Promise<void> {
  const { incident_update, status, action } = approval;
  if (!incident_update || status === "pending") return;
  const update = await findUpdate(scope, incident_update);
  if (update?.status !== "waiting") return;
  const { text } = action.params;
  // An approver can change the text, and nothing else.
  const set =
    status === "approved"
      ? ({
          status: "pending",
          next_attempt_at: timestamp(),
          text: typeof text === "string" ? text : update.text,
        } as const)
      : ({ status: "denied" } as const);
  await changeUpdate(scope, update, set);
}
