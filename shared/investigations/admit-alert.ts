import type { Investigate } from "../api/webhooks/investigate.ts";
import { findMessage } from "../conversations/message-store.ts";
import { isPerformed, TransactionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { retry } from "../lib/retry.ts";
import type { Alert } from "../webhooks/adapters/types.ts";
import {
  type AlertFacts,
  incidentHash,
  isAtLeast,
  isOwnAlarm,
  matchesAlert,
  serviceHash,
  toAlertFacts,
} from "../webhooks/alert-facts.ts";
import { findWebhookChannelOfTenant } from "../webhooks/webhook-channel-store.ts";
import { extendGroup, findAlertGroup, groupWrites } from "./group-alerts.ts";
import {
  currentFacts,
  findLatestRecord,
  isUninvestigated,
  newRecord,
  type ReceivedAlert,
  recordResolution,
  recordUninvestigated,
  type Uninvestigated,
} from "./incident-record.ts";
import {
  anyStatus,
  changeInvestigation,
  findMergedInto,
  type InvestigationRef,
  investigationChange,
  newInvestigationWrite,
  type StoredInvestigation,
} from "./investigation-store.ts";
import { joinedAlertWrite } from "./record-store.ts";
import { scheduleCheck, scheduleStart } from "./schedule.ts";
import { enqueueWrite } from "./slots.ts";

/** Alert that was delivered to a channel. */
interface RecordedDelivery {
  readonly channelId: string;
  readonly messageId: string;
  readonly incident: string | null;
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

/** Returns why an alert starts no investigation; null if it can. */
function findObstacle(
  settings: Investigate | null,
  { severity, state }: Alert,
  facts: AlertFacts,
): Uninvestigated | "muted" | null {
  if (!settings) return "off";
  if (isOwnAlarm(facts)) return "own_alarm";
  if (!isAtLeast(severity, settings.min_severity)) return "severity";
  if (!matchesAlert(facts, settings.match)) return "match";
  if (isMuted(settings, facts)) return "muted";
  // The first message of an incident has its present state, also when its first event is considered.
  return state === "acknowledged" ? "acknowledged" : null;
}

/**
 * Adds an alert to an investigation.
 * @returns false if it was already added
 */
async function joinInvestigation(
  scope: TenantScope,
  ref: InvestigationRef,
  { message }: ReceivedAlert,
): Promise<boolean> {
  return isPerformed(tenantTable(scope).write(joinedAlertWrite(scope, ref.id, message.message_id, message.created_at)));
}

/** Returns true if a person has silenced an incident, or merged it into one that is not resolved: it is not investigated again. */
async function isHeld(scope: TenantScope, latest: StoredInvestigation): Promise<boolean> {
  if (latest.silenced_until !== null && latest.silenced_until > timestamp()) return true;
  return latest.merged_into !== null && (await findMergedInto(scope, latest)).state !== "resolved";
}

/**
 * Returns the investigation to queue for an alert, with the writes that store it. The record of an incident that was not
 * investigated becomes the investigation; an earlier investigation of an incident that is still open is merged into it.
 */
function toQueued(
  scope: TenantScope,
  candidate: ReceivedAlert,
  settings: Investigate,
  latest: StoredInvestigation | undefined,
): { readonly investigation: StoredInvestigation; readonly writes: readonly Write[] } {
  const { alert } = candidate;
  const fields = {
    ...({ status: "queued", reason: null, ended_at: null, severity: alert.severity } as const),
    ...{ persona_id: settings.persona, user_id: settings.set_by, max_minutes: settings.max_minutes },
  };
  if (latest && isUninvestigated(latest) && latest.state !== "resolved") {
    const set = { ...fields, ...currentFacts(alert) };
    const write = investigationChange(scope, latest, ["skipped"], set);
    return { investigation: { ...latest, ...set }, writes: [write] };
  }
  const isOngoing = latest !== undefined && latest.state !== "resolved";
  const investigation = { ...newRecord(candidate), ...fields, merged_count: isOngoing ? 1 : 0 };
  const merged = isOngoing ? [investigationChange(scope, latest, anyStatus, { merged_into: investigation.id })] : [];
  return { investigation, writes: [newInvestigationWrite(scope, investigation), ...merged] };
}

/**
 * Queues a new investigation for an alert, or adds the alert to the current investigation of its incident or service.
 */
async function admit(scope: TenantScope, candidate: ReceivedAlert, settings: Investigate): Promise<void> {
  const { message, alert, names } = candidate;
  const found = await findAlertGroup(scope, names, alert.severity);
  if (found) {
    const { group, isSameIncident } = found;
    const isNew = await joinInvestigation(scope, group, candidate);
    // The change was delivered again: the function may have died before it requested the start.
    if (!isNew) return requestStart(scope, group);
    if (!isSameIncident) return;
    await extendGroup(scope, names.incident, settings.window_minutes);
    await changeInvestigation(scope, group, anyStatus, currentFacts(alert));
    return;
  }
  const latest = await findLatestRecord(scope, names);
  if (latest && (await isHeld(scope, latest))) {
    await changeInvestigation(scope, latest, anyStatus, currentFacts(alert));
    return;
  }
  const { investigation, writes } = toQueued(scope, candidate, settings, latest);
  await tenantTable(scope).transact([
    ...writes,
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
 * Records an alert with its incident, and decides by the settings of the channel whether it starts an investigation, joins one,
 * or changes the state of one. Idempotent.
 */
export async function admitAlert(
  scope: TenantScope,
  { channelId, messageId, incident }: RecordedDelivery,
): Promise<void> {
  const channel = await findWebhookChannelOfTenant(scope, channelId);
  if (!channel || channel.conversation_id === null) return;
  const message = await findMessage(scope, channel.conversation_id, messageId);
  if (!message?.alert) return;
  const alert = message.alert as unknown as Alert;
  if (alert.is_test) return;
  const facts = toAlertFacts(alert);
  const names = { incident: incidentHash(channelId, incident, facts), service: serviceHash(channelId, facts) };
  const candidate = { channelId, message, alert, facts, names };
  if (alert.state === "resolved") return recordResolution(scope, candidate);
  const settings = channel.investigate;
  const obstacle = findObstacle(settings, alert, facts);
  const isRetryable = (error: unknown) => error instanceof TransactionFailed;
  await retry(
    () =>
      settings && obstacle === null
        ? admit(scope, candidate, settings)
        : recordUninvestigated(scope, candidate, obstacle === "muted" ? null : obstacle),
    { maxAttempts: MAX_ATTEMPTS, isRetryable },
  );
}
