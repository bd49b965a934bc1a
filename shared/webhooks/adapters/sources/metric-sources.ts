import { findText, textAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";
import type { AlertPayload } from "../types.ts";
import { cloudwatchSource } from "./cloudwatch.ts";
import { datadogSource } from "./datadog.ts";
import { alertmanagerSource, grafanaSource } from "./prometheus.ts";

/** Returns the state of a problem of Zabbix, whose macros that have no value are sent as they are. */
function zabbixState(payload: AlertPayload): string | null {
  const [value, status] = [textAt(payload, "event_value"), findText(payload, ["event_status", "trigger_status"])];
  if (value === "0" || /^(?:resolved|ok)$/i.test(status ?? "")) return "resolved";
  const isAcknowledged = /^(?:yes|1)$/i.test(findText(payload, ["event_ack_status", "event_acknowledged"]) ?? "");
  return isAcknowledged ? "acknowledged" : value === "1" || status ? "open" : null;
}

/** Tools that watch metrics. */
export const metricSources: readonly AlertSource[] = [
  cloudwatchSource,
  grafanaSource,
  alertmanagerSource,
  {
    // https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/ (default webhook template)
    name: "New Relic",
    provider: "new-relic",
    marks: [["issueUrl"], ["workflowName", "alertPolicyNames"]],
    title: "title",
    text: ["{title}\n\nAffects {impactedEntities}.", "title", "Affects {impactedEntities}."],
    severity: "priority",
    severityOf: "medium",
    state: "state",
    time: ["updatedAt", "createdAt"],
    link: "issueUrl",
    id: "id",
    event: ["id", "state", "updatedAt"],
    facts: {
      Priority: "priority",
      "Assigned to": (payload) => (payload.owner === "N/A" ? null : textAt(payload, "owner")),
      Trigger: "trigger",
      Incidents: "totalIncidents",
      Entities: "impactedEntities",
      Policies: "alertPolicyNames",
      Conditions: "alertConditionNames",
      Workflow: "workflowName",
    },
    metadata: (payload, { title }) => ({ title, state: textAt(payload, "state") }),
    fields: ["owner", "isCorrelated", "sources"],
  },
  {
    // https://learn.microsoft.com/azure/azure-monitor/alerts/alerts-common-schema
    name: "Azure Monitor",
    marks: [["data.essentials"]],
    title: "data.essentials.alertRule",
    text: ["data.essentials.description", "data.essentials.alertRule"],
    severity: "data.essentials.severity",
    severityWords: { critical: "sev0", high: "sev1", medium: "sev2", low: "sev3|sev4" },
    state: "data.essentials.monitorCondition",
    time: ["data.essentials.resolvedDateTime", "data.essentials.firedDateTime"],
    link: "data.essentials.investigationLink",
    id: "data.essentials.alertId",
    event: ["data.essentials.alertId", "data.essentials.monitorCondition"],
    facts: { Targets: "data.essentials.alertTargetIDs", Service: "data.essentials.monitoringService" },
    fields: ["schemaId"],
  },
  {
    // https://cloud.google.com/monitoring/support/notification-options#webhooks
    name: "Google Cloud Monitoring",
    marks: [["incident.incident_id"]],
    title: ["incident.policy_name", "incident.condition_name"],
    text: ["incident.summary", "incident.documentation.content", "incident.condition_name"],
    severity: ["incident.severity", "incident.policy_user_labels.severity"],
    state: "incident.state",
    time: ["incident.ended_at", "incident.started_at"],
    link: "incident.url",
    id: "incident.incident_id",
    event: ["incident.incident_id", "incident.state"],
    facts: { Condition: "incident.condition_name", Resource: "incident.resource_display_name" },
    fields: ["version"],
  },
  {
    // https://docs.dynatrace.com/docs/analyze-explore-automate/notifications-and-alerting/problem-notifications
    name: "Dynatrace",
    marks: [
      ["ProblemID", "State"],
      ["ProblemTitle", "State"],
    ],
    title: "ProblemTitle",
    text: [
      "ProblemDetailsText",
      "ProblemDetails",
      "ProblemDetailsMarkdown",
      "{ProblemTitle}: {ImpactedEntity}",
      "ProblemTitle",
    ],
    severity: "ProblemSeverity",
    severityWords: {
      critical: "availability",
      high: "error|monitoring_unavailable",
      medium: "performance|slowdown|resource|resource_contention|custom_alert",
      low: "info",
    },
    state: "State",
    stateWords: { resolved: "merged" },
    time: ["EventTime", "ProblemDetailsJSON.endTime", "ProblemDetailsJSON.startTime"],
    link: "ProblemURL",
    id: ["ProblemID", "PID"],
    facts: { Impact: "ProblemImpact", Entity: "ImpactedEntity", Severity: "ProblemSeverity", Tags: "Tags" },
  },
  {
    // https://www.zabbix.com/documentation/current/en/manual/config/notifications/media/webhook
    name: "Zabbix",
    marks: [
      ["event_value", "event_name"],
      ["event_value", "trigger_id"],
      ["event_severity", "event_name"],
      ["event_nseverity"],
    ],
    title: ["event_name", "alert_subject", "trigger_name"],
    text: ["event_opdata", "alert_message", "trigger_description", "event_name"],
    severity: ["event_severity", "event_nseverity"],
    severityWords: {
      critical: "disaster|5",
      high: "high|4",
      medium: "average|warning|3|2",
      low: "information|not classified|1|0",
    },
    state: zabbixState,
    time: [
      "{event_update_date} {event_update_time}",
      (payload) =>
        zabbixState(payload) === "resolved" ? findText(payload, ["{event_recovery_date} {event_recovery_time}"]) : null,
      "{event_date} {event_time}",
    ],
    link: ["{zabbix_url}/tr_events.php?triggerid={trigger_id}&eventid={event_id}", "event_url", "url"],
    id: ["event_id", "eventid", "trigger_id", "event_name"],
    facts: {
      Host: ["host_name", "host"],
      Data: "event_opdata",
      Update: "event_update_message",
      By: "event_update_user",
      Tags: "event_tags",
    },
    fields: ["event_value", "event_ack_status", "event_recovery_date", "event_recovery_time"],
  },
  {
    // https://learn.netdata.cloud/docs/alerts-&-notifications/notifications/centralized-cloud-notifications/webhook
    name: "Netdata",
    marks: [
      ["chart", "alert_url"],
      ["chart", "alert", "severity"],
    ],
    title: "alert",
    text: ["message", "info"],
    severity: "severity",
    state: "severity",
    time: "date",
    link: "alert_url",
    id: ["{alert} {chart} {host}", "{alert} {chart}"],
    facts: { Info: "info", Chart: "chart", Space: "space", Class: "class" },
  },
  {
    // https://docs.influxdata.com/kapacitor/v1/event_handlers/post/
    name: "Kapacitor",
    marks: [["previousLevel", "level"]],
    title: "id",
    text: ["message", "details", "id"],
    severity: "level",
    state: "level",
    stateWords: { open: "info" },
    time: "time",
    id: "id",
    facts: { "Previous state": "previousLevel" },
  },
  // Its mark `alert_id` is a usual name.
  datadogSource,
];
