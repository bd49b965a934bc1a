import { textAt } from "../paths.ts";
import { type AlertSource, ofCheck } from "../source.ts";
import type { AlertPayload, AlertState } from "../types.ts";

const checklyTypes = {
  open: "alert_failure|alert_failure_remain|alert_failure_degraded|alert_degraded|alert_degraded_remain|alert_degraded_failure|alert_ssl",
  resolved: "alert_recovery|alert_degraded_recovery",
};
const checklyPlaces = ["ALERT_TYPE", "alert_type", "alertType"];
const isChecklyType = (text: string | null) =>
  Object.values(checklyTypes).some((words) => words.split("|").includes(text?.toLowerCase() ?? ""));

/** Returns the state that follows from the times of an incident. */
const stateOfTimes = (payload: AlertPayload): AlertState | null => {
  const at = (name: string) => textAt(payload, `data.attributes.${name}`);
  if (at("resolved_at")) return "resolved";
  return at("acknowledged_at") ? "acknowledged" : null;
};

/** Tools that check whether something can be reached. */
export const uptimeSources: readonly AlertSource[] = [
  {
    // https://www.pingdom.com/resources/webhooks/
    name: "Pingdom",
    marks: [["check_id", "current_state"]],
    title: "check_name",
    text: ["long_description", "{check_name}: {description}", "{check_name} is {current_state}"],
    severity: "importance_level",
    severityOf: ofCheck,
    state: "current_state",
    time: ["state_changed_timestamp", "state_changed_utc_time"],
    link: ["check_params.full_url", "check_params.url"],
    id: "check_id",
    facts: { Type: "check_type", Host: "check_params.hostname", "Previous state": "previous_state", Tags: "tags" },
  },
  {
    // https://uptimerobot.com/integrations/webhooks-integration/
    name: "UptimeRobot",
    marks: [["monitorID", "alertType"], ["monitorFriendlyName"]],
    title: "monitorFriendlyName",
    text: ["{monitorFriendlyName} is {alertTypeFriendlyName}: {alertDetails}", "alertDetails", "alertTypeFriendlyName"],
    severityOf: ofCheck,
    state: ["alertType", "alertTypeFriendlyName"],
    stateWords: { open: "1|3|down", resolved: "2|up" },
    time: "alertDateTime",
    link: "monitorURL",
    id: ["monitorID", "monitorURL", "monitorFriendlyName"],
    facts: { Duration: "alertDuration", Event: "alertTypeFriendlyName" },
  },
  {
    // https://www.statuscake.com/kb/knowledge-base/how-to-use-the-web-hook-url/
    name: "StatusCake",
    marks: [["StatusCode", "Status", "URL"]],
    title: "Name",
    text: ["{Name} is {Status} (status {StatusCode})", "{URL} is {Status}"],
    severityOf: ofCheck,
    state: "Status",
    time: ["Time", "Timestamp"],
    link: "URL",
    id: ["TestID", "{Name} {URL}", "URL"],
    facts: { Status: "StatusCode", Tags: "Tags", Method: "Method" },
    // The token is derived from the API key.
    metadata: ({ Token: _, ...payload }) => payload,
  },
  {
    // https://github.com/louislam/uptime-kuma/blob/master/server/notification-providers/webhook.js
    name: "Uptime Kuma",
    marks: [["heartbeat.status"]],
    title: "monitor.name",
    text: ["msg", "heartbeat.msg"],
    severityOf: ofCheck,
    state: "heartbeat.status",
    stateWords: { open: "0", resolved: "1" },
    time: ["heartbeat.time", "heartbeat.localDateTime"],
    link: "monitor.url",
    id: ["monitor.id", "heartbeat.monitorID", "monitor.name"],
    facts: { Host: "monitor.hostname", Duration: "heartbeat.duration" },
  },
  {
    // https://betterstack.com/docs/uptime/webhooks/
    name: "Better Stack",
    marks: [["data.attributes"]],
    title: "data.attributes.name",
    text: ["data.attributes.cause", "data.attributes.name"],
    severity: "data.attributes.severity",
    state: [
      stateOfTimes,
      "data.attributes.status",
      (payload) => (textAt(payload, "data.attributes.started_at") ? "open" : null),
    ],
    stateWords: { resolved: "automatically resolved" },
    time: ["data.attributes.resolved_at", "data.attributes.acknowledged_at", "data.attributes.started_at"],
    link: ["data.attributes.origin_url", "data.attributes.url"],
    id: "data.id",
    facts: { "Acknowledged by": "data.attributes.acknowledged_by", "Resolved by": "data.attributes.resolved_by" },
  },
  {
    // https://www.site24x7.com/help/admin/third-party-integration/webhooks.html
    name: "Site24x7",
    marks: [["MONITORNAME", "STATUS"]],
    title: "MONITORNAME",
    text: ["INCIDENT_REASON", "{MONITORNAME} is {STATUS}"],
    severity: "STATUS",
    severityWords: { critical: "down|critical", medium: "trouble", low: "up" },
    state: "STATUS",
    stateWords: { open: "trouble|config_error" },
    time: ["INCIDENT_TIME_ISO", "OUTAGE_TIME_UNIX_FORMAT", "INCIDENT_TIME"],
    link: ["MONITOR_DASHBOARD_LINK", "MONITORURL"],
    id: ["MONITOR_ID", "MONITORURL", "MONITORNAME"],
    facts: { Type: "MONITORTYPE", Locations: "FAILED_LOCATIONS", Duration: "DOWNTIME_DURATION", Group: "GROUP_TAGS" },
  },
  {
    // https://support.freshping.io/support/solutions/articles/50000003709
    name: "Freshping",
    marks: [["webhook_event_data.check_id"]],
    title: "webhook_event_data.check_name",
    text: ["text", "{webhook_event_data.check_name} is {webhook_event_data.check_state_name}"],
    severityOf: ofCheck,
    state: "webhook_event_data.check_state_name",
    stateWords: { open: "not responding|reporting error|alert", resolved: "available" },
    time: ["webhook_event_created_on", "webhook_event_data.request_start_time"],
    link: ["webhook_event_data.request_url"],
    id: "webhook_event_data.check_id",
    facts: { Response: "webhook_event_data.response_summary", Location: "webhook_event_data.request_location" },
  },
  {
    // https://www.checklyhq.com/docs/integrations/alerts/webhooks
    name: "Checkly",
    matches: (payload) => checklyPlaces.some((path) => isChecklyType(textAt(payload, path))),
    title: ["CHECK_NAME", "check_name", "checkName"],
    text: ["ALERT_TITLE", "title", "alert_title", "event", "CHECK_ERROR_MESSAGE", "error"],
    severity: checklyPlaces,
    severityWords: { medium: "alert_degraded|alert_degraded_remain|alert_failure_degraded|alert_ssl" },
    severityOf: ofCheck,
    state: checklyPlaces,
    stateWords: checklyTypes,
    time: ["STARTED_AT", "started_at", "startedAt", "timestamp"],
    link: ["RESULT_LINK", "result_link", "link", "url"],
    id: ["CHECK_ID", "check_id", "checkId"],
    facts: { Error: ["CHECK_ERROR_MESSAGE", "error"], Region: ["REGION", "region"], Group: ["GROUP_NAME", "group"] },
    signature: { name: "X-Checkly-Signature" },
  },
  {
    // https://cronitor.io/docs/using-webhooks
    name: "Cronitor",
    marks: [
      ["monitor_url", "issue_url", "type"],
      ["monitor", "rule", "type"],
    ],
    title: "monitor",
    text: ["description", "rule"],
    severityOf: ofCheck,
    state: "type",
    time: ["timestamp", "stamp"],
    link: ["issue_url", "monitor_url"],
    id: "id",
    facts: { Rule: "rule", Environment: "environment", Group: "group" },
  },
  {
    // https://docs.hetrixtools.com/uptime-monitor-webhook/
    name: "HetrixTools",
    marks: [["monitor_id", "monitor_status"]],
    title: "monitor_name",
    text: ["{monitor_name} is {monitor_status}", "monitor_status"],
    severityOf: ofCheck,
    state: "monitor_status",
    time: "timestamp",
    link: "monitor_target",
    id: "monitor_id",
    facts: { Type: "monitor_type", Category: "monitor_category" },
  },
];
