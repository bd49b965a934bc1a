import type { Severity } from "../../../api/webhooks/investigate.ts";
import { isJsonObject } from "../../../lib/parse-json.ts";
import { textAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";
import type { AlertPayload } from "../types.ts";
import type { Words } from "../words.ts";
import { pagerdutySource } from "./pagerduty.ts";

/** Words of tools that count severities from 0. */
const fromZero: Words<Severity> = {
  critical: "sev0|sev1|critical",
  high: "sev2|major|high",
  medium: "sev3|minor",
  low: "sev4",
};

/** Returns the object of an event of incident.io, which is named after the event. */
function incidentIoEvent(payload: AlertPayload): AlertPayload {
  const value = payload[textAt(payload, "event_type") ?? ""];
  const wrapped = isJsonObject(value) ? value : {};
  const incident = [wrapped.incident, wrapped.alert, wrapped].find(isJsonObject) ?? {};
  return { ...payload, incident };
}

/** Tools for incidents and for requests of people. */
export const incidentSources: readonly AlertSource[] = [
  {
    // https://docs.rootly.com/configuration/event-payloads
    name: "Rootly",
    marks: [["event.type", "event.issued_at", "data"]],
    title: ["data.title", "data.summary"],
    text: ["data.summary", "data.title"],
    severity: ["data.severity.slug", "data.severity.name", "data.severity.severity", "data.severity"],
    severityWords: fromZero,
    state: ["data.status", "event.type"],
    stateWords: {
      open: "started|in_triage|triggered|incident.created|alert.created",
      acknowledged: "acknowledged|mitigated|incident.mitigated|alert.acknowledged",
      resolved: "resolved|closed|cancelled|incident.resolved|incident.cancelled|incident.deleted|alert.resolved",
    },
    time: ["event.issued_at", "data.updated_at"],
    link: ["data.url", "data.short_url", "data.external_url"],
    id: "data.id",
    event: ["event.id"],
    facts: { Event: "event.type", Services: "data.services.*.name", Severity: "data.severity.name" },
    fields: ["event", "data"],
    signature: {
      name: "X-Rootly-Signature",
      prefix: "v1=",
      timestamp: { prefix: "t=", unit: "seconds", separator: "", isRequired: true },
    },
  },
  pagerdutySource,
  {
    // https://api-docs.incident.io/tag/Webhooks
    name: "incident.io",
    matches: (payload) => isJsonObject(payload[textAt(payload, "event_type") ?? ""]),
    prepare: incidentIoEvent,
    title: ["incident.name", "incident.title"],
    text: ["incident.summary", "incident.description", "incident.name", "incident.title"],
    severity: ["incident.severity.name", "incident.severity.rank"],
    state: ["incident.incident_status.category", "incident.status"],
    stateWords: {
      open: "triage|active|live|firing",
      acknowledged: "paused|learning|post-incident",
      resolved: "closed|declined|merged|canceled|resolved",
    },
    time: ["incident.updated_at", "incident.created_at"],
    link: ["incident.permalink", "incident.source_url"],
    id: "incident.id",
    fields: (payload) => [textAt(payload, "event_type") ?? ""],
    facts: { Event: "event_type", Reference: "incident.reference", Status: "incident.incident_status.name" },
  },
  {
    // https://docs.firehydrant.com/docs/webhooks
    name: "FireHydrant",
    marks: [["data.incident", "event.operation"], ["data.incident.current_milestone"]],
    title: "data.incident.name",
    text: ["data.incident.summary", "data.incident.description", "data.incident.name"],
    severity: ["data.incident.severity", "data.incident.priority"],
    state: "data.incident.current_milestone",
    stateWords: {
      open: "started|detected|investigating|identified",
      acknowledged: "acknowledged|mitigated",
      resolved: "resolved|retrospective_started|retrospective_completed|postmortem_started|postmortem_completed|closed",
    },
    time: ["event.occurred_at", "data.incident.updated_at", "data.incident.milestones.0.updated_at"],
    link: ["data.incident.incident_url", "data.incident.private_status_page_url"],
    id: "data.incident.id",
    facts: {
      Event: "event.operation",
      Milestone: "data.incident.current_milestone",
      Number: "#{data.incident.number}",
    },
    signature: { name: "FH-Signature" },
  },
  {
    // https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/
    name: "Statuspage",
    marks: [["page.id", "incident.status"], ["incident.incident_updates"]],
    title: "incident.name",
    text: ["incident.incident_updates.0.body", "incident.name"],
    severity: "incident.impact",
    severityWords: { critical: "critical", high: "major", medium: "minor", low: "none|maintenance" },
    state: "incident.status",
    stateWords: {
      open: "investigating|identified|scheduled|in_progress",
      acknowledged: "monitoring|verifying",
      resolved: "resolved|postmortem|completed",
    },
    time: ["incident.incident_updates.0.created_at", "incident.updated_at", "incident.created_at"],
    link: ["incident.shortlink", "meta.unsubscribe"],
    id: "incident.id",
    facts: { Impact: "incident.impact", Page: ["page.status_description"], Components: "incident.components.*.name" },
  },
  {
    name: "Statuspage",
    marks: [["component_update", "component"]],
    title: "component.name",
    text: "{component.name}: {component_update.new_status}",
    severity: "component_update.new_status",
    severityWords: {
      critical: "major_outage",
      high: "partial_outage",
      medium: "degraded_performance",
      low: "operational|under_maintenance",
    },
    state: "component_update.new_status",
    stateWords: { open: "major_outage|partial_outage|degraded_performance|under_maintenance", resolved: "operational" },
    time: "component_update.created_at",
    id: "component.id",
  },
  {
    // https://developer.atlassian.com/cloud/jira/platform/webhooks/
    name: "Jira",
    marks: [["webhookEvent", "issue"]],
    title: "{issue.key}: {issue.fields.summary}",
    text: ["comment.body", "issue.fields.description", "issue.fields.summary"],
    severity: "issue.fields.priority.name",
    state: ["issue.fields.status.statusCategory.key", "issue.fields.status.name"],
    stateWords: { open: "new|to do|open", acknowledged: "indeterminate|in progress", resolved: "done|closed|resolved" },
    time: ["timestamp", "issue.fields.updated"],
    link: (payload) => {
      const [origin, key] = [
        /^https?:\/\/[^/]+/.exec(textAt(payload, "issue.self") ?? "")?.[0],
        textAt(payload, "issue.key"),
      ];
      return origin && key ? `${origin}/browse/${key}` : null;
    },
    id: "issue.id",
    facts: {
      Event: "webhookEvent",
      Status: "issue.fields.status.name",
      "Assigned to": "issue.fields.assignee.displayName",
      Project: "issue.fields.project.name",
      By: "user.displayName",
    },
    signature: { name: "X-Hub-Signature", prefix: "sha256=" },
  },
  {
    // https://linear.app/developers/webhooks
    name: "Linear",
    marks: [["webhookTimestamp", "data"]],
    title: "{data.identifier}: {data.title}",
    text: ["data.body", "data.description", "data.title"],
    severity: ["data.priorityLabel", "data.priority"],
    severityWords: { critical: "1", high: "2", medium: "3", low: "4|0|no priority" },
    state: ["data.state.type"],
    stateWords: {
      open: "triage|backlog|unstarted",
      acknowledged: "started",
      resolved: "completed|canceled|duplicate",
    },
    time: ["webhookTimestamp", "data.updatedAt"],
    link: ["url", "data.url"],
    id: ["data.issueId", "data.id"],
    facts: {
      Event: "{type} {action}",
      Status: "data.state.name",
      "Assigned to": "data.assignee.name",
      By: "actor.name",
    },
    signature: { name: "Linear-Signature" },
  },
  {
    // https://developer.zendesk.com/documentation/webhooks/verifying/
    name: "Zendesk",
    marks: [["zendesk_event_version", "detail"]],
    title: "detail.subject",
    text: ["event.comment.body", "detail.description", "detail.subject"],
    severity: "detail.priority",
    state: "detail.status",
    stateWords: { open: "new|open", acknowledged: "pending|hold", resolved: "solved|closed" },
    time: ["time", "detail.updated_at"],
    id: "detail.id",
    event: ["id"],
    facts: { Event: "type" },
    signature: {
      name: "X-Zendesk-Webhook-Signature",
      encoding: "base64",
      timestamp: { names: ["X-Zendesk-Webhook-Signature-Timestamp"], unit: "iso", separator: "", isRequired: true },
    },
  },
  {
    // https://grafana.com/docs/oncall/latest/configure/outgoing-webhooks/
    name: "Grafana IRM",
    marks: [["alert_group", "event.type"]],
    title: "alert_group.title",
    text: ["alert_payload.message", "alert_group.title"],
    severity: ["alert_group.labels.severity", "alert_payload.commonLabels.severity"],
    state: ["alert_group.state", "event.type"],
    stateWords: { acknowledged: "acknowledged|silenced|acknowledge|silence", resolved: "resolved|resolve" },
    time: "event.time",
    link: ["alert_group.permalinks.web"],
    id: ["alert_group_id", "alert_group.id"],
    facts: { Event: "event.type", Integration: "integration.name", By: "user.username" },
  },
];
