import { isJsonObject } from "../../../lib/parse-json.ts";
import { parseCommonFields } from "../fields.ts";
import { asText, textAt, valueAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";
import type { AlertPayload } from "../types.ts";
import { knownAt } from "../words.ts";

const states = {
  open: "incident.triggered|incident.reopened|incident.unacknowledged|triggered",
  acknowledged: "incident.acknowledged|acknowledged",
  resolved: "incident.resolved|resolved",
};

const pagerdutyEvents: Readonly<Record<string, string>> = {
  "incident.triggered": "Triggered",
  "incident.acknowledged": "Acknowledged",
  "incident.unacknowledged": "Acknowledgment expired",
  "incident.resolved": "Resolved",
  "incident.reopened": "Reopened",
  "incident.escalated": "Escalated",
  "incident.delegated": "Delegated",
  "incident.reassigned": "Reassigned",
  "incident.annotated": "Note added",
  "incident.priority_updated": "Priority changed",
  "incident.status_update_published": "Status update",
  "incident.responder.added": "Responder added",
  "incident.responder.replied": "Responder replied",
  "incident.conference_bridge.updated": "Conference bridge changed",
  "incident.custom_field_values.updated": "Custom fields changed",
  "incident.workflow.started": "Workflow started",
  "incident.workflow.completed": "Workflow completed",
  "service.created": "Service created",
  "service.updated": "Service changed",
  "service.deleted": "Service deleted",
  "pagey.ping": "Test",
};

const isPing = (payload: AlertPayload) => textAt(payload, "event.event_type") === "pagey.ping";
/** Returns true for an event about an incident or service, not about a note, status update or responder of one. */
const isOwnResource = (payload: AlertPayload) => [null, "incident"].includes(textAt(payload, "event.data.type"));
const ofResource = (path: string) => (payload: AlertPayload) => (isOwnResource(payload) ? null : textAt(payload, path));

/** Returns the reason of a resolution, a text or a reference, such as to the incident into which it was merged. */
function describeReason(payload: AlertPayload): string | null {
  const reason = valueAt(payload, "event.data.resolve_reason");
  const parts = [textAt(reason, "type"), textAt(reason, "incident.summary")].filter((part) => part !== null);
  return asText(reason) ?? (parts.join(": ").replaceAll("_", " ") || null);
}

function pagerdutyIncident(payload: AlertPayload): string | null {
  const isService = textAt(payload, "event.event_type")?.startsWith("service.") ?? false;
  const own = isOwnResource(payload) && !isService ? textAt(payload, "event.data.id") : null;
  return isPing(payload) ? null : (textAt(payload, "event.data.incident.id") ?? own);
}

/** PagerDuty's events about incidents and services. */
export const pagerdutySource: AlertSource = {
  // https://developer.pagerduty.com/docs/webhooks-overview
  name: "PagerDuty",
  provider: "pagerduty",
  // Other tools, such as Graylog, send an object under this name as well, but without `data`.
  marks: [["event.data"]],
  title: ["event.data.title", "event.data.incident.summary", "event.data.summary"],
  text: [
    "event.data.description",
    ofResource("event.data.content"),
    ofResource("event.data.message"),
    "event.data.title",
    "event.data.content",
    "event.data.message",
    "description",
    "event.data.incident.summary",
    "event.data.summary",
    (payload) => (isPing(payload) ? "PagerDuty sent a test event." : null),
  ],
  severity: [
    (payload) => (textAt(payload, "event.data.priority.summary") === "P1" ? "P1" : null),
    (payload) => {
      const urgency = textAt(payload, "event.data.urgency");
      return urgency && (urgency === "high" ? "high" : "medium");
    },
    (payload) => parseCommonFields(payload).severity,
  ],
  state: [knownAt("event.event_type", states), knownAt("event.data.status", states)],
  stateWords: states,
  time: ["event.created_on", "event.occurred_at", "triggered_at"],
  link: ["event.data.html_url", "event.data.incident.html_url"],
  id: "event.id",
  incident: pagerdutyIncident,
  event: ["event.id"],
  isTest: isPing,
  facts: {
    Event: [(payload) => pagerdutyEvents[textAt(payload, "event.event_type") ?? ""], "event.event_type"],
    Service: "event.data.service.summary",
    Incident: "#{event.data.number}",
    "Assigned to": "event.data.assignees.*.summary",
    Responder: "event.data.user.summary",
    "Responder state": "event.data.state",
    Teams: "event.data.teams.*.summary",
    "Escalation policy": "event.data.escalation_policy.summary",
    Workflow: "event.data.incident_workflow.summary",
    "Workflow run": (payload) =>
      valueAt(payload, "event.data.incident_workflow") ? textAt(payload, "event.data.summary") : null,
    "Conference number": "event.data.conference_bridge.conference_number",
    "Conference link": "event.data.conference_bridge.conference_url",
    Priority: "event.data.priority.summary",
    Urgency: "event.data.urgency",
    By: "event.agent.summary",
    "Resolve reason": describeReason,
    Note: [ofResource("event.data.content"), ofResource("event.data.message")],
  },
  moreFacts: (payload) => {
    const fields = valueAt(payload, "event.data.custom_fields");
    const list = (Array.isArray(fields) ? fields : []).filter(isJsonObject);
    return Object.fromEntries(list.map((field) => [field.display_name ?? field.name ?? "Field", field.value]));
  },
  metadata: (payload, { title }) => {
    const common = parseCommonFields(payload);
    const incident_key = textAt(payload, "event.data.incident_key");
    return {
      event_type: textAt(payload, "event.event_type"),
      incident_id: pagerdutyIncident(payload),
      ...(incident_key && { incident_key }),
      title,
      status: textAt(payload, "event.data.status"),
      ...(common.affected_entities && { affected_entities: common.affected_entities }),
      ...common.metadata,
    };
  },
  fields: ["event", "severity", "description", "triggered_at", "affected_entities", "metadata"],
  signature: { name: "X-PagerDuty-Signature", prefix: "v1=" },
};
