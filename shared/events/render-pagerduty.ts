import { type EventType, events } from "../api/events/event-data.ts";
import type { EventDelivery } from "../api/events/event-endpoints.ts";
import { truncate } from "../lib/truncate.ts";

type Data = Readonly<Record<string, unknown>>;

/** Fields of a PagerDuty event that follow from an event of this service. */
interface Incident {
  readonly action: "trigger" | "resolve";
  /** Deduplication key. PagerDuty joins events with the same key to one incident. */
  readonly key: string;
  readonly severity: "critical" | "error" | "warning" | "info";
  readonly title?: string;
}

const severities: Readonly<Record<string, Incident["severity"]>> = {
  critical: "critical",
  high: "error",
  medium: "warning",
  low: "info",
};

function ofAlert(action: Incident["action"], { parent_id, message_id, alert }: Data): Incident | null {
  const { provider, severity, title } = (alert ?? {}) as Data;
  // An alert of PagerDuty would become another one there, and so on.
  if (provider === "pagerduty") return null;
  const key = `alert:${parent_id ?? message_id}`;
  return { action, key, severity: severities[String(severity)] ?? "error", ...(title ? { title: String(title) } : {}) };
}

/** Events that trigger or resolve an incident. All other events are informational. */
const rules: Partial<Record<EventType, (data: Data) => Incident | null>> = {
  "alert.received": (data) => ofAlert("trigger", data),
  "alert.resolved": (data) => ofAlert("resolve", data),
  "run.failed": ({ message_id }) => ({ action: "trigger", key: `run:${message_id}`, severity: "error" }),
  "document.failed": ({ id }) => ({ action: "trigger", key: `document:${id}`, severity: "warning" }),
  "document.ready": ({ id }) => ({ action: "resolve", key: `document:${id}`, severity: "info" }),
  "approval.requested": ({ id }) => ({ action: "trigger", key: `approval:${id}`, severity: "warning" }),
  "approval.decided": ({ id }) => ({ action: "resolve", key: `approval:${id}`, severity: "info" }),
  "budget.reached": ({ budget_id, window, percent }) => ({
    action: "trigger",
    key: `budget:${budget_id}:${window}`,
    severity: percent === 100 ? "error" : "warning",
  }),
};

const MAX_SUMMARY_CHARACTERS = 1_024;

/**
 * Returns the body for PagerDuty's Events API v2, or null for an event that must not be sent there, such as an alert
 * that came from PagerDuty.
 * @see https://developer.pagerduty.com/docs/send-alert-event
 */
export function renderPagerduty(
  { type, payload, event_id }: Pick<EventDelivery, "type" | "payload" | "event_id">,
  routing_key: string,
): string | null {
  const { data, timestamp } = JSON.parse(payload) as { data: Data; timestamp: string };
  const rule = rules[type];
  const incident = rule ? rule(data) : { action: "trigger" as const, key: event_id, severity: "info" as const };
  if (incident === null) return null;
  const { action, key, severity, title } = incident;
  const base = { routing_key, event_action: action, dedup_key: `switchboard:${key}` };
  if (action === "resolve") return JSON.stringify(base);
  const { description } = events[type];
  const summary = truncate(title ? `${title}: ${description}` : description, MAX_SUMMARY_CHARACTERS);
  const content = { summary, source: "switchboard", severity, timestamp, class: type, custom_details: data };
  return JSON.stringify({ ...base, payload: content, client: "Switchboard" });
}
