import type { StoredMessage } from "../conversations/message-store.ts";
import { equals, TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { truncate } from "../lib/truncate.ts";
import type { Alert } from "../webhooks/adapters/types.ts";
import { type AlertFacts, alertTitleOf } from "../webhooks/alert-facts.ts";
import { findLatestOfIncident, type GroupNames, groupWrites, removeGroupWrite } from "./group-alerts.ts";
import {
  anyStatus,
  changeInvestigation,
  findInvestigation,
  investigationChange,
  newInvestigationWrite,
  removeInvestigationWrite,
  type StoredInvestigation,
} from "./investigation-store.ts";
import { dequeueWrite } from "./slots.ts";

/** Alert with the facts that decide about its investigation. */
export interface ReceivedAlert {
  readonly channelId: string;
  readonly message: StoredMessage;
  readonly alert: Alert;
  readonly facts: AlertFacts;
  readonly names: GroupNames;
}

const uninvestigated = ["off", "severity", "match", "own_alarm", "acknowledged"] as const;

/** Reason for which an open incident is not investigated: a setting of its channel, or a person who took it at once. */
export type Uninvestigated = (typeof uninvestigated)[number];

/** True for the record of an incident of which no investigation was queued. */
export const isUninvestigated = ({ status, reason }: Pick<StoredInvestigation, "status" | "reason">): boolean =>
  status === "skipped" && uninvestigated.includes(reason as Uninvestigated);

/** Returns what an event says about the present state of its incident. */
export function currentFacts({ state, triggered_at, details }: Alert): Partial<StoredInvestigation> {
  const assigned = details["Assigned to"];
  return {
    ...(state !== null && { state, resolved_at: state === "resolved" ? triggered_at : null }),
    ...(assigned && { assigned_to: truncate(assigned, 200) }),
  };
}

/** Returns the record of an incident that is not investigated. */
export function newRecord({ channelId, message, alert, facts, names }: ReceivedAlert): StoredInvestigation {
  const createdAt = timestamp();
  return {
    id: newId(),
    conversation_id: message.conversation_id,
    channel_id: channelId,
    alert_id: message.parent_id ?? message.message_id,
    message_id: null,
    status: "skipped",
    reason: null,
    severity: alert.severity,
    title: alertTitleOf(alert),
    service: facts.service,
    state: alert.state,
    assigned_to: null,
    silenced_until: null,
    merged_into: null,
    merged_count: 0,
    persona_id: null,
    persona_version: null,
    model: null,
    verdict: null,
    cause: null,
    usage: null,
    acknowledged_by: null,
    acknowledged_at: null,
    created_at: createdAt,
    started_at: null,
    ended_at: createdAt,
    resolved_at: null,
    incident_hash: names.incident,
    user_id: "",
    reserved_tokens: 0,
    budget_day: null,
    max_minutes: 0,
    result: null,
    ...currentFacts(alert),
  };
}

/** Returns the latest investigation of an incident; undefined if there is none. */
export async function findLatestRecord(
  scope: TenantScope,
  names: GroupNames,
): Promise<StoredInvestigation | undefined> {
  const latest = await findLatestOfIncident(scope, names);
  return latest ? findInvestigation(scope, latest) : undefined;
}

/**
 * Records an open incident that is not investigated, so that it is listed, or stores the state of one that is known.
 * @param reason null to record no new incident
 */
export async function recordUninvestigated(
  scope: TenantScope,
  candidate: ReceivedAlert,
  reason: Uninvestigated | null,
): Promise<void> {
  const { alert, names } = candidate;
  const latest = await findLatestRecord(scope, names);
  // The next occurrence gets a record of its own, which no user has acknowledged yet.
  const isPast = latest && isUninvestigated(latest) && latest.state === "resolved";
  if (latest && !isPast) {
    await changeInvestigation(scope, latest, anyStatus, currentFacts(alert));
    return;
  }
  // An alert without a state would be listed for ever.
  if (reason === null || alert.state === null) return;
  const record = { ...newRecord(candidate), reason };
  const own = { incident: names.incident, service: null };
  await tenantTable(scope).transact([
    newInvestigationWrite(scope, record),
    // No time in which alerts join it: the next one can start an investigation.
    ...groupWrites(scope, own, record, 0),
  ]);
}

/**
 * Returns the writes that end the record of a resolved incident: a queued investigation is skipped, and the record of an incident
 * that was neither investigated nor changed by a person is deleted, so that lists do not grow with alerts. Null for any other.
 */
function endWrites(scope: TenantScope, latest: StoredInvestigation, alert: Alert, names: GroupNames) {
  const { id, status, reason, severity } = latest;
  if (isUninvestigated(latest)) {
    const human = { acknowledged_by: null, silenced_until: null, merged_into: null, merged_count: 0 };
    return [
      removeInvestigationWrite(scope, latest, equals({ status, reason, ...human })),
      removeGroupWrite(scope, names.incident),
    ];
  }
  if (status !== "queued") return null;
  const skipped = { status: "skipped", reason: "resolved", ended_at: timestamp() } as const;
  return [
    investigationChange(scope, latest, ["queued"], { ...currentFacts(alert), ...skipped }),
    dequeueWrite(scope, id, severity),
  ];
}

/** Stores the end of an incident with its latest investigation. */
export async function recordResolution(scope: TenantScope, { alert, names }: ReceivedAlert): Promise<void> {
  const latest = await findLatestRecord(scope, names);
  if (!latest) return;
  const writes = endWrites(scope, latest, alert, names);
  try {
    if (writes) return await tenantTable(scope).transact(writes);
  } catch (error) {
    // It has been started or changed concurrently, or a person has changed it.
    if (!(error instanceof TransactionFailed)) throw error;
  }
  await changeInvestigation(scope, latest, anyStatus, currentFacts(alert));
}
