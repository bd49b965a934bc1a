import type { EventType } from "../api/events/event-data.ts";
import type { Change } from "../changes/processor.ts";
import { type CountableReply, toUsageEvent } from "../governance/usage/count-reply-usage.ts";
import { toCountable } from "../governance/usage/usage-corrections.ts";
import { timestamp } from "../lib/clock.ts";
import { sha256 } from "../lib/hash.ts";

type Item = Readonly<Record<string, unknown>>;

/** Event with the body that is sent to endpoints. */
export interface ServiceEvent {
  /** Id that is the same if the same change is processed again. */
  readonly id: string;
  readonly type: EventType;
  /** ISO 8601. */
  readonly at: string;
  readonly payload: string;
}

/** Maximum size of a body in bytes, as Standard Webhooks recommends. */
const MAX_PAYLOAD_BYTES = 20_000;

const pick = (item: Item, ...names: string[]) => Object.fromEntries(names.map((name) => [name, item[name] ?? null]));

const runFields = [
  ...["conversation_id", "message_id", "question_id", "parent_id", "persona_id", "persona_version", "status", "model"],
];
const feedbackFields = [
  ...["id", "conversation_id", "message_id", "user_id", "persona_id", "persona_version", "rating", "category"],
];
const alertFields = ["conversation_id", "message_id", "parent_id", "alert"];
const approvalFields = ["id", "type", "risk_level", "status", "requested_by", "decided_by", "decided_at", "expires_at"];

const investigationFields = [
  ...["id", "conversation_id", "channel_id", "alert_id", "message_id", "status", "severity", "service", "state"],
  ...["verdict", "persona_id", "persona_version", "model", "usage", "created_at", "started_at", "ended_at"],
];

const syncFields = [
  "id",
  "collection_id",
  "added",
  "changed",
  "moved",
  "removed",
  "failed",
  "started_at",
  "completed_at",
];

const ofMessage = (message: Item): [EventType, Item][] => {
  const { role, status, alert } = message;
  if (role === "alert") {
    const isResolved = (alert as Item | null)?.state === "resolved";
    return [[isResolved ? "alert.resolved" : "alert.received", pick(message, ...alertFields)]];
  }
  if (role !== "assistant" || message.person) return [];
  const data = { ...pick(message, ...runFields, "usage", "error"), user_id: message.asked_by ?? null };
  return [[status === "failed" ? "run.failed" : "run.completed", data]];
};

const handoverFields = [
  "key_id",
  "status",
  "reason",
  "contact_email",
  "person_id",
  "outcome",
  "requested_at",
  "waits_until",
];

const ofHandover = (handover: Item): [EventType, Item][] => {
  const status = String(handover.status);
  const type = status === "waiting" ? "requested" : status;
  return [
    [`handover.${type}` as EventType, { session_id: handover.conversation_id, ...pick(handover, ...handoverFields) }],
  ];
};

const ofSession = ({ conversation_id: session_id, key_id, transcript }: Item): [EventType, Item][] =>
  transcript ? [["transcript.requested", { session_id, key_id, ...(transcript as Item) }]] : [];

const ofApproval = (approval: Item): [EventType, Item][] => {
  const { message_id, conversation_id } = (approval.run ?? {}) as Item;
  const operation = (approval.action as Item | undefined)?.operation ?? null;
  const data = { ...pick(approval, ...approvalFields), operation, message_id: message_id ?? null };
  if (approval.status !== "pending") return [["approval.decided", data]];
  const paused = { message_id, conversation_id: conversation_id ?? null, approval_id: approval.id };
  return [["approval.requested", data], ...(message_id ? ([["run.paused", paused]] as [EventType, Item][]) : [])];
};

const scheduleRunFields = [
  ...["schedule_id", "owner_id", "scheduled_at", "status", "attempts", "conversation_id", "message_id", "reason"],
  "test_run_id",
];

const ofTestRun = ({ drop, columns, schedule_run, ...run }: Item): [EventType, Item][] => {
  if (!drop) return [];
  const [column] = columns as Item[];
  const { schedule_id } = schedule_run as Item;
  const data = { ...pick(run, "id", "set_id", "persona_id"), schedule_id, version: column?.version };
  return [["test_run.dropped", { ...data, ...(drop as Item) }]];
};

const ofScheduleRun = (run: Item): [EventType, Item][] => {
  if (run.status === "pending" || run.status === "running") return [];
  const type = run.status === "completed" ? "schedule.completed" : "schedule.failed";
  return [[type, pick(run, ...scheduleRunFields)]];
};

/**
 * Functions that return the events for a change, by type of change. They are called for an update only if it changes
 * the status.
 */
const rules: Readonly<Record<string, (after: Item) => [EventType, Item][]>> = {
  "message-created": ofMessage,
  "handover-created": ofHandover,
  "handover-updated": ofHandover,
  "embed-session-updated": ofSession,
  "approval-created": ofApproval,
  "approval-updated": ofApproval,
  "listed-feedback-created": (feedback) => [["feedback.created", pick(feedback, ...feedbackFields)]],
  "document-updated": ({ status, ...document }) => {
    const data = { ...pick(document, "id", "collection_id", "title", "version", "error"), status };
    return status === "ready" ? [["document.ready", data]] : status === "failed" ? [["document.failed", data]] : [];
  },
  "sync-updated": ({ status, ...sync }) =>
    status === "completed" || status === "failed" ? [[`sync.${status}`, { status, ...pick(sync, ...syncFields) }]] : [],
  "investigation-updated": (investigation) =>
    ["completed", "interrupted", "failed"].includes(String(investigation.status))
      ? [["investigation.completed", pick(investigation, ...investigationFields)]]
      : [],
  "schedule-run-created": ofScheduleRun,
  "schedule-run-updated": ofScheduleRun,
  "test-run-updated": ofTestRun,
  "schedule-updated": (schedule) =>
    schedule.disabled_reason
      ? [["schedule.paused", pick(schedule, "id", "owner_id", "name", "failures", "disabled_reason")]]
      : [],
  "user-updated": ({ user_id, deactivated_at }) =>
    deactivated_at ? [["user.deactivated", { user_id, deactivated_at }]] : [],
  "budget-alert-created": (alert) => [
    [
      "budget.reached",
      pick(alert, "budget_id", "name", "scope", "percent", "unit", "limit", "used", "window", "resets_at"),
    ],
  ],
  "audit-anchor-created": (anchor) => [["audit.anchored", pick(anchor, "from", "to", "seq", "hash", "totals")]],
  "export-updated": (item) =>
    item.status === "ready" ? [["export.ready", pick(item, "id", "kind", "owner_id", "expires_at")]] : [],
};

/** Types of changes that contain the usage of an answer, a completion, a summary or a test. */
export const usageChangeTypes: readonly string[] = [
  "message-created",
  "completion-created",
  "summary-created",
  "summary-updated",
  "usage-correction-created",
  "test-result-created",
];

/** Returns the answer, completion or summary whose usage a change contains. */
export const toCountableReply = (type: string, after: Item): CountableReply =>
  type === "usage-correction-created" ? toCountable(after as never) : (after as unknown as CountableReply);

/** Types of changes that can cause events. */
export const eventChangeTypes: readonly string[] = [...new Set([...Object.keys(rules), ...usageChangeTypes])];

/**
 * Returns the body of an event. If it is too long, fields with long values, such as labels of an alert, are left out
 * and `truncated` is set.
 */
export function renderPayload(type: EventType, at: string, data: Item): string {
  const payload = JSON.stringify({ type, timestamp: at, data });
  if (Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES) return payload;
  const short = Object.fromEntries(
    Object.entries(data).filter(([, value]) => JSON.stringify(value ?? null).length <= 1_000),
  );
  return JSON.stringify({ type, timestamp: at, data: { ...short, truncated: true } });
}

const stateNames = [
  ...["status", "disabled_reason", "deactivated_at", "requested_at", "contact_email", "person_id"],
  "transcripts_requested",
];

const hasSameState = (before: Item, after: Item) =>
  stateNames.every((name) => (before[name] ?? null) === (after[name] ?? null));

/** Returns the data of the event `usage.settled`, or undefined if no model was used. */
function toSettledUsage(reply: CountableReply): Item | undefined {
  if (!reply.usage) return undefined;
  const { id: reply_id, user_id, key_id, persona_id, persona_version, model, requests, usage } = toUsageEvent(reply);
  const { input_tokens, output_tokens, total_tokens, cached_tokens = 0, cost_usd } = usage;
  const amounts = { requests, input_tokens, output_tokens, total_tokens, cached_tokens, cost_usd };
  return { reply_id, user_id, key_id, persona_id, persona_version, model, ...amounts, created_at: reply.created_at };
}

const toEvent = (source: string, type: EventType, at: string, data: Item): ServiceEvent => ({
  id: `evt_${sha256(`${source}#${type}`).slice(0, 32)}`,
  type,
  at,
  payload: renderPayload(type, at, data),
});

/** Returns the events that follow from a change. */
export function toEvents({ id, type, timestamp: changedAt, before, after }: Change): ServiceEvent[] {
  if (!after) return [];
  const at = timestamp(changedAt);
  const rule = before && hasSameState(before, after) ? undefined : rules[type];
  const changes = rule?.(after) ?? [];
  const usage = usageChangeTypes.includes(type) ? toSettledUsage(toCountableReply(type, after)) : undefined;
  return [
    ...changes.map(([eventType, data]) => toEvent(`${after.pk}#${id}`, eventType, at, data)),
    // The id is that of the reply, whose usage is counted once.
    ...(usage ? [toEvent(`${after.pk}#${usage.reply_id}`, "usage.settled", at, usage)] : []),
  ];
}
