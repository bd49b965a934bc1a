import type { Investigate } from "../api/webhooks/investigate.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import { isPerformed, TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { retry } from "../lib/retry.ts";
import type { Alert } from "../webhooks/adapters/types.ts";
import { findWebhookChannelOfTenant } from "../webhooks/webhook-channel-store.ts";
import {
  type AlertFacts,
  alertTitleOf,
  incidentHash,
  isAtLeast,
  isOwnAlarm,
  matchesAlert,
  serviceHash,
  toAlertFacts,
} from "./alert-facts.ts";
import { extendGroup, findAlertGroup, findLatestOfIncident, type GroupNames, groupWrites } from "./group-alerts.ts";
import {
  anyStatus,
  changeInvestigation,
  type InvestigationRef,
  investigationChange,
  newInvestigationWrite,
  type StoredInvestigation,
} from "./investigation-store.ts";
import { joinedAlertWrite } from "./record-store.ts";
import { scheduleCheck, scheduleStart } from "./schedule.ts";
import { dequeueWrite, enqueueWrite } from "./slots.ts";

/** Alert that was delivered to a channel whose alerts are investigated. */
export interface InvestigatedDelivery {
  readonly channelId: string;
  readonly messageId: string;
  readonly incident: string | null;
}

/** Alert with the settings and facts that decide about its investigation. */
interface Candidate {
  readonly channelId: string;
  readonly settings: Investigate;
  readonly message: StoredMessage;
  readonly alert: Alert;
  readonly facts: AlertFacts;
  readonly names: GroupNames;
}

/** Maximum number of attempts if other alerts of the same incident or service are processed concurrently. */
const MAX_ATTEMPTS = 5;

function isMuted({ mute }: Investigate, facts: AlertFacts): boolean {
  const at = timestamp(now());
  return mute.some(
    ({ match, from, until }) =>
      (from === null || from <= at) && (until === null || at < until) && matchesAlert(facts, match),
  );
}

function isInvestigated(settings: Investigate, { severity, is_test }: Alert, facts: AlertFacts): boolean {
  if (is_test || !isAtLeast(severity, settings.min_severity)) return false;
  return !isOwnAlarm(facts) && matchesAlert(facts, settings.match) && !isMuted(settings, facts);
}

/**
 * Stores the new state of an incident with its latest investigation. If the incident is resolved, an investigation that
 * is still queued is skipped.
 */
async function changeState(scope: TenantScope, { alert, names }: Candidate): Promise<void> {
  const group = await findLatestOfIncident(scope, names);
  if (!group) return;
  if (alert.state === "acknowledged") {
    await changeInvestigation(scope, group, anyStatus, { state: "acknowledged" });
    return;
  }
  const resolved = { state: "resolved", resolved_at: alert.triggered_at } as const;
  try {
    await tenantTable(scope).transact([
      investigationChange(scope, group, ["queued"], {
        ...resolved,
        status: "skipped",
        reason: "resolved",
        ended_at: timestamp(),
      }),
      dequeueWrite(scope, group.id, group.severity),
    ]);
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error;
    await changeInvestigation(scope, group, anyStatus, resolved);
  }
}

/**
 * Adds an alert to an investigation.
 * @returns false if it was already added
 */
async function joinInvestigation(scope: TenantScope, ref: InvestigationRef, { message }: Candidate): Promise<boolean> {
  return isPerformed(tenantTable(scope).write(joinedAlertWrite(scope, ref.id, message.message_id, message.created_at)));
}

function newInvestigation(candidate: Candidate): StoredInvestigation {
  const { channelId, settings, message, alert, facts, names } = candidate;
  return {
    id: newId(),
    conversation_id: message.conversation_id,
    channel_id: channelId,
    alert_id: message.parent_id ?? message.message_id,
    message_id: null,
    status: "queued",
    reason: null,
    severity: alert.severity,
    title: alertTitleOf(alert),
    service: facts.service,
    state: alert.state,
    persona_id: settings.persona,
    model: null,
    verdict: null,
    cause: null,
    usage: null,
    acknowledged_by: null,
    acknowledged_at: null,
    created_at: timestamp(),
    started_at: null,
    ended_at: null,
    resolved_at: null,
    incident_hash: names.incident,
    user_id: settings.set_by,
    reserved_tokens: 0,
    budget_day: null,
    max_minutes: settings.max_minutes,
    result: null,
  };
}

/**
 * Queues a new investigation for an alert, or adds the alert to the current investigation of its incident or service.
 */
async function admit(scope: TenantScope, candidate: Candidate): Promise<void> {
  const { settings, message, alert, names } = candidate;
  const found = await findAlertGroup(scope, names, alert.severity);
  if (found) {
    const { group, isSameIncident } = found;
    const isNew = await joinInvestigation(scope, group, candidate);
    // The change was delivered again: the function may have died before it requested the start.
    if (!isNew) return requestStart(scope, group);
    if (!isSameIncident) return;
    await extendGroup(scope, names.incident, settings.window_minutes);
    await changeInvestigation(scope, group, anyStatus, { state: "open", resolved_at: null });
    return;
  }
  const investigation = newInvestigation(candidate);
  await tenantTable(scope).transact([
    newInvestigationWrite(scope, investigation),
    ...groupWrites(scope, names, investigation, settings.window_minutes),
    enqueueWrite(scope, investigation, investigation.severity),
    joinedAlertWrite(scope, investigation.id, message.message_id, message.created_at),
  ]);
  await requestStart(scope, investigation);
}

async function requestStart(scope: TenantScope, ref: InvestigationRef): Promise<void> {
  await Promise.all([scheduleStart(scope), scheduleCheck(scope, ref)]);
}

/**
 * Decides by the settings of the channel whether an alert starts an investigation, joins one, or changes the state of
 * one. Idempotent.
 */
export async function admitAlert(
  scope: TenantScope,
  { channelId, messageId, incident }: InvestigatedDelivery,
): Promise<void> {
  const channel = await findWebhookChannelOfTenant(scope, channelId);
  const settings = channel?.investigate;
  if (!settings || channel.conversation_id === null) return;
  const message = await findMessage(scope, channel.conversation_id, messageId);
  if (!message?.alert) return;
  const alert = message.alert as unknown as Alert;
  const facts = toAlertFacts(alert);
  const names = { incident: incidentHash(channelId, incident, facts), service: serviceHash(channelId, facts) };
  const candidate = { channelId, settings, message, alert, facts, names };
  if (alert.state === "resolved" || alert.state === "acknowledged") return changeState(scope, candidate);
  if (!isInvestigated(settings, alert, facts)) return;
  const isRetryable = (error: unknown) => error instanceof TransactionFailed;
  await retry(() => admit(scope, candidate), { maxAttempts: MAX_ATTEMPTS, isRetryable });
}
