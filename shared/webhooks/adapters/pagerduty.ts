import * as v from "valibot";
import {
  commonFieldNames,
  details,
  lenientObject,
  MAX_ALERT_TEXT_LENGTH,
  optionalObject,
  optionalText,
  parseCommonFields,
  parsePayload,
  toFacts,
  toTimestamp,
} from "./fields.ts";
import type { AlertAdapter, AlertPayload, AlertState, ReadAlert } from "./types.ts";

const Reference = optionalObject({ id: optionalText(), summary: optionalText(), html_url: optionalText(2_000) });
const References = v.nullish(v.array(Reference));
const CustomField = v.looseObject({
  name: optionalText(),
  display_name: optionalText(),
  value: v.optional(v.unknown()),
});

/**
 * Payload of PagerDuty's V3 webhooks.
 * @see https://developer.pagerduty.com/docs/webhooks-overview
 */
const Incident = v.looseObject({
  event: v.looseObject({
    id: optionalText(),
    event_type: optionalText(),
    created_on: optionalText(),
    occurred_at: optionalText(),
    agent: v.fallback(Reference, undefined),
    data: v.looseObject({
      id: optionalText(),
      type: optionalText(),
      title: optionalText(MAX_ALERT_TEXT_LENGTH),
      description: optionalText(MAX_ALERT_TEXT_LENGTH),
      urgency: optionalText(),
      status: optionalText(),
      incident_key: optionalText(1_000),
      html_url: optionalText(2_000),
      resolve_reason: v.fallback(v.nullish(v.unknown()), undefined),
      number: optionalText(),
      summary: optionalText(MAX_ALERT_TEXT_LENGTH),
      state: optionalText(),
      teams: v.fallback(References, undefined),
      conference_bridge: lenientObject({ conference_number: optionalText(), conference_url: optionalText(2_000) }),
      custom_fields: v.fallback(v.nullish(v.array(CustomField)), undefined),
      service: v.fallback(Reference, undefined),
      priority: v.fallback(Reference, undefined),
      assignees: v.fallback(References, undefined),
      escalation_policy: v.fallback(Reference, undefined),
      // Notes, status updates and responders are separate resources that refer to their incident.
      content: optionalText(MAX_ALERT_TEXT_LENGTH),
      message: optionalText(MAX_ALERT_TEXT_LENGTH),
      incident: v.fallback(Reference, undefined),
      user: v.fallback(Reference, undefined),
      incident_workflow: v.fallback(Reference, undefined),
    }),
  }),
});

const statesByStatus: Readonly<Record<string, AlertState>> = {
  triggered: "open",
  acknowledged: "acknowledged",
  resolved: "resolved",
};

const statesByEvent: Readonly<Record<string, AlertState>> = {
  "incident.triggered": "open",
  "incident.reopened": "open",
  "incident.unacknowledged": "open",
  "incident.acknowledged": "acknowledged",
  "incident.resolved": "resolved",
};

const eventLabels: Readonly<Record<string, string>> = {
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

const summariesOf = (references: v.InferOutput<typeof References>) =>
  (references ?? []).flatMap((reference) => reference?.summary ?? []).join(", ");

/**
 * Returns the reason why an incident was resolved, which PagerDuty sends as a text or as a reference, such as to the
 * incident into which it was merged.
 */
function describeReason(reason: unknown): string | null {
  if (typeof reason === "string") return reason;
  if (typeof reason !== "object" || reason === null) return null;
  const { type, incident } = reason as { type?: unknown; incident?: { summary?: unknown } };
  const parts = [type, incident?.summary].filter((part): part is string => typeof part === "string");
  return parts.length > 0 ? parts.join(": ").replaceAll("_", " ") : null;
}

function normalize(payload: AlertPayload, { nowMs, newAlertId }: { nowMs: number; newAlertId: string }): ReadAlert {
  const { event } = parsePayload(Incident, payload);
  const { data } = event;
  const common = parseCommonFields(payload);
  const eventType = event.event_type ?? "";
  const isTest = eventType === "pagey.ping";
  const isOwnResource = data.type === undefined || data.type === null || data.type === "incident";
  const isIncident = isOwnResource && eventType.startsWith("service.") === false;
  const incident = isTest ? null : (data.incident?.id ?? (isIncident ? data.id : null) ?? null);
  const note = isOwnResource ? null : (data.content ?? data.message ?? null);
  const title = data.title ?? data.incident?.summary ?? data.summary ?? null;
  const priority = data.priority?.summary ?? null;
  const state = statesByEvent[eventType] ?? statesByStatus[data.status ?? ""] ?? null;
  const severity =
    priority === "P1" ? "critical" : data.urgency ? (data.urgency === "high" ? "high" : "medium") : common.severity;
  const text = data.description || note || data.title || data.content || data.message || common.description || title;
  const fields = (data.custom_fields ?? []).map((field) => [field.display_name ?? field.name ?? "Field", field.value]);
  return {
    alert: {
      severity: isTest ? "low" : (severity ?? "medium"),
      title,
      description: text || (isTest ? "PagerDuty sent a test event." : "(no description)"),
      alert_id: event.id || newAlertId,
      triggered_at: toTimestamp(event.created_on ?? event.occurred_at ?? common.triggered_at, nowMs),
      state,
      is_test: isTest,
      details: details(
        {
          Event: eventLabels[eventType] ?? eventType,
          State: state,
          Service: data.service?.summary,
          Incident: data.number ? `#${data.number}` : null,
          "Assigned to": summariesOf(data.assignees),
          Responder: data.user?.summary,
          "Responder state": data.state,
          Teams: summariesOf(data.teams),
          "Escalation policy": data.escalation_policy?.summary,
          Workflow: data.incident_workflow?.summary,
          "Workflow run": data.incident_workflow ? data.summary : null,
          "Conference number": data.conference_bridge?.conference_number,
          "Conference link": data.conference_bridge?.conference_url,
          Priority: priority,
          Urgency: data.urgency,
          By: event.agent?.summary,
          "Resolve reason": describeReason(data.resolve_reason),
          Note: note,
        },
        toFacts(Object.fromEntries(fields)),
      ),
      link: data.html_url ?? data.incident?.html_url ?? null,
      metadata: {
        event_type: event.event_type ?? null,
        incident_id: incident,
        ...(data.incident_key && { incident_key: data.incident_key }),
        title,
        status: data.status ?? null,
        ...(common.affected_entities && { affected_entities: common.affected_entities }),
        ...common.metadata,
      },
    },
    eventKey: event.id || null,
    incident,
  };
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Adapter for PagerDuty's events about incidents and services. */
export const pagerdutyAdapter: AlertAdapter = {
  provider: "pagerduty",
  label: "PagerDuty",
  // Other tools, such as Graylog, send an object under this name as well, but without `data`.
  matches: ({ event }) => isObject(event) && "data" in event,
  fields: ["event", ...commonFieldNames],
  normalize,
};
