import { findText, type Places, textAt, valueAt } from "../paths.ts";
import { type AlertSource, ofCheck } from "../source.ts";
import { knownAt } from "../words.ts";

const event = (path: string) => [`data.event.${path}`, `data.error.${path}`];

const levelPlaces: Places = [
  ...event("level"),
  "data.issue.level",
  (payload) => (valueAt(payload, "data.metric_alert") ? textAt(payload, "action") : null),
];

const sentryStates = {
  open: "created|triggered|unresolved|critical|warning",
  acknowledged: "ignored|archived|assigned",
  resolved: "resolved",
};

const sentry: AlertSource = {
  // https://docs.sentry.io/organization/integrations/integration-platform/webhooks/
  name: "Sentry",
  provider: "sentry",
  header: "sentry-hook-resource",
  matches: ({ action, data, installation }) =>
    typeof action === "string" && [data, installation].every((value) => typeof value === "object" && value !== null),
  title: [...event("title"), "data.issue.title", "data.description_title", "data.metric_alert.title"],
  text: [
    ...event("message"),
    "data.comment",
    "data.description_text",
    ...event("metadata.value"),
    "data.issue.metadata.value",
    ...event("culprit"),
    "data.issue.culprit",
  ],
  severity: levelPlaces,
  severityOf: "medium",
  state: (payload) =>
    textAt(payload, "data.comment") ? null : findText(payload, [knownAt("action", sentryStates), "data.issue.status"]),
  stateWords: sentryStates,
  time: [
    ...event("datetime"),
    "data.issue.lastSeen",
    "data.metric_alert.date_closed",
    "data.metric_alert.date_started",
    "data.timestamp",
  ],
  link: [...event("web_url"), "data.issue.web_url", "data.issue.permalink", "data.web_url"],
  id: [...event("event_id"), "data.issue.id", ...event("issue_id"), "data.metric_alert.id", "data.issue_id"],
  incident: ["data.issue.id", ...event("issue_id"), "data.metric_alert.id", "data.issue_id"],
  event: [
    (payload) => {
      const id = findText(payload, event("event_id"));
      return id && JSON.stringify([id, textAt(payload, "action"), textAt(payload, "data.triggered_rule")]);
    },
  ],
  facts: {
    Event: "action",
    Level: levelPlaces,
    Rule: ["data.triggered_rule", "data.metric_alert.alert_rule.name"],
    Query: [
      "{data.metric_alert.alert_rule.aggregate} {data.metric_alert.alert_rule.query}",
      "data.metric_alert.alert_rule.aggregate",
    ],
    Project: ["data.issue.project.name", "data.issue.project.slug", "data.project_slug"],
    Projects: "data.metric_alert.projects",
    "Assigned to": ["data.issue.assignedTo.name", "data.issue.assignedTo.email"],
    Issue: "data.issue.shortId",
    Events: "data.issue.count",
    Users: "data.issue.userCount",
    Environment: event("environment"),
    Release: event("release"),
    Location: [...event("culprit"), "data.issue.culprit"],
    By: "actor.name",
  },
  metadata: (payload, { title }) => ({
    title,
    action: textAt(payload, "action"),
    issue_id: findText(payload, ["data.issue.id", ...event("issue_id"), "data.metric_alert.id", "data.issue_id"]),
  }),
  fields: ["installation", "action", "data", "actor"],
  signature: { name: "Sentry-Hook-Signature" },
};

/** Tools for code and its errors. */
export const codeSources: readonly AlertSource[] = [
  {
    // https://docs.gitlab.com/user/project/integrations/webhook_events/
    name: "GitLab",
    marks: [["object_kind", "object_attributes"]],
    title: [
      "{object_attributes.title}",
      "Pipeline #{object_attributes.id} of {project.path_with_namespace}: {object_attributes.status}",
      "{object_kind} in {project.path_with_namespace}",
    ],
    text: ["object_attributes.description", "object_attributes.note", "commit.title", "object_attributes.title"],
    severity: ["object_attributes.severity", "object_attributes.status"],
    severityWords: { high: "failed", low: "success|unknown|canceled|skipped" },
    state: ["object_attributes.action", "object_attributes.state", "object_attributes.status"],
    stateWords: { open: "open|opened|reopen|failed", resolved: "close|closed|merge|merged|success" },
    time: ["object_attributes.updated_at", "object_attributes.finished_at", "object_attributes.created_at"],
    link: ["object_attributes.url", "project.web_url"],
    id: ["{object_kind} {object_attributes.id}"],
    facts: {
      Event: "object_attributes.action",
      Kind: ["event_type", "object_kind"],
      Project: "project.path_with_namespace",
      Branch: "object_attributes.ref",
      "Assigned to": "assignees.*.name",
      By: "user.name",
    },
  },
  {
    // https://docs.gitlab.com/user/project/integrations/webhook_events/#job-events
    name: "GitLab",
    marks: [["object_kind", "build_status"]],
    title: "Job {build_name} of {project_name}: {build_status}",
    text: ["build_failure_reason", "commit.message"],
    severity: "build_status",
    severityWords: { high: "failed", low: "success|canceled|skipped" },
    state: "build_status",
    time: ["build_finished_at", "build_started_at", "build_created_at"],
    link: "repository.homepage",
    id: "job {build_id}",
    facts: { Stage: "build_stage", Branch: "ref", By: "user.name" },
  },
  sentry,
  {
    // https://docs.rollbar.com/docs/webhooks
    name: "Rollbar",
    marks: [["event_name", "data.item"]],
    title: "data.item.title",
    text: [
      "data.item.last_occurrence.body.trace.exception.message",
      "data.item.last_occurrence.body.message.body",
      "data.item.title",
    ],
    severity: ["data.item.level", "data.item.last_occurrence.level"],
    severityWords: { critical: "50|critical", high: "40|error", medium: "30|warning", low: "20|10|info|debug" },
    state: ["event_name"],
    stateWords: {
      open: "new_item|reactivated_item|reopened_item|exp_repeat_item|item_velocity|occurrence",
      resolved: "resolved_item",
    },
    time: ["data.occurrence.timestamp", "data.item.last_occurrence_timestamp", "data.item.last_activated_timestamp"],
    link: ["data.item.url", "data.url"],
    id: "data.item.id",
    facts: { Event: "event_name", Environment: "data.item.environment", Number: "#{data.item.counter}" },
  },
  {
    // https://docs.bugsnag.com/product/integrations/data-forwarding/webhook/
    name: "Bugsnag",
    marks: [["trigger.type", "error.exceptionClass"]],
    title: "{error.exceptionClass}: {error.message}",
    text: ["error.message", "trigger.message"],
    severity: "error.severity",
    state: ["error.status", "trigger.type"],
    stateWords: {
      open: "open|firstexception|reopened|exception",
      acknowledged: "ignored|snoozed",
      resolved: "fixed|resolved",
    },
    time: ["error.receivedAt", "error.lastReceived"],
    link: "error.url",
    id: ["error.errorId", "error.id"],
    facts: {
      Event: "trigger.message",
      Project: "project.name",
      Stage: "error.releaseStage",
      Location: "error.context",
    },
  },
  {
    // https://docs.honeybadger.io/guides/integrations/webhook/
    name: "Honeybadger",
    marks: [["fault.klass", "event"]],
    title: "{fault.klass}: {fault.message}",
    text: ["message", "fault.message"],
    severityOf: ofCheck,
    state: "event",
    stateWords: { open: "occurred|unresolved|rate_exceeded", acknowledged: "assigned", resolved: "resolved" },
    time: ["notice.created_at", "fault.last_notice_at"],
    link: ["fault.url", "notice.url"],
    id: "fault.id",
    facts: { Event: "event", Project: "project.name", Environment: "fault.environment", Location: "fault.component" },
  },
  {
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
    name: "Amazon EventBridge",
    marks: [["detail-type", "detail", "source"]],
    title: ["detail.title", "detail.alarmName", "detail-type"],
    text: ["detail.description", "detail.state.reason", "detail.eventDescription.0.latestDescription", "detail-type"],
    severity: ["detail.severity.label", "detail.severity.Label", "detail.severity"],
    severityWords: { low: "1|2|3", medium: "4|5|6", high: "7|8", critical: "9|10" },
    state: ["detail.state.value", "detail.statusCode", "detail.status"],
    time: "time",
    id: ["detail.id", "detail.eventArn", "detail.alarmName", "id"],
    event: ["id"],
    facts: { Event: "detail-type", Service: "source", Region: "region" },
  },
];
