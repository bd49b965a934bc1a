import { asText, findText } from "../paths.ts";
import { type AlertSource, ofCheck } from "../source.ts";
import type { AlertPayload } from "../types.ts";

/** Returns the state of an alert of Kibana, whose action groups have a name for each kind of rule. */
const kibanaState = (payload: AlertPayload) => {
  const group = findText(payload, ["alert.actionGroup", "action_group"]);
  return group && (group === "recovered" ? "resolved" : "open");
};

const listFields = (path: string) => (payload: AlertPayload) =>
  Object.entries(Object(payload[path]))
    .flatMap(([name, value]) => (asText(value) ? `${name}: ${value}` : []))
    .join("\n");

/** Tools that watch logs and traces. */
export const logSources: readonly AlertSource[] = [
  {
    // https://help.splunk.com/en/splunk-enterprise/alert-and-respond/alerting-manual
    name: "Splunk",
    marks: [["sid", "results_link"]],
    title: ["search_name", "app"],
    text: ["result.message", "result._raw", listFields("result"), "search_name"],
    severity: ["result.severity", "result.urgency", "result.level"],
    state: ["result.state", "result.status"],
    time: ["result._time"],
    link: "results_link",
    id: "sid",
    incident: "{app}/{search_name}",
    event: ["sid"],
    facts: { App: "app", Owner: "owner", Host: "result.host" },
    moreFacts: ({ result }) => Object(result),
  },
  {
    // https://help.splunk.com/en/splunk-observability-cloud/administer/authentication-and-security/webhook
    name: "Splunk Observability",
    marks: [
      ["detectorUrl", "incidentId"],
      ["detectOnCondition", "incidentId"],
    ],
    title: ["messageTitle", "detector", "rule"],
    text: ["messageBody", "description", "messageTitle"],
    severity: "severity",
    state: ["statusExtended", "status"],
    stateWords: { open: "anomalous", resolved: "ok|stopped|manually resolved|auto resolved" },
    time: "timestamp",
    link: ["detectorUrl", "runbookUrl"],
    id: "incidentId",
    facts: { Rule: "rule", Detector: "detector", Runbook: "runbookUrl", Tip: "tip" },
    // Its client for Python documents SHA-1, descriptions by others SHA-256.
    signature: [
      { name: "X-SFX-Signature", encoding: "base64", algorithm: "sha1" },
      { name: "X-SFX-Signature", encoding: "base64" },
    ],
  },
  {
    // https://www.elastic.co/docs/explore-analyze/alerts-cases/alerts/rule-action-variables
    name: "Elastic",
    marks: [
      ["rule.name", "alert.actionGroup"],
      ["rule_name", "action_group"],
    ],
    title: ["rule.name", "rule_name"],
    text: ["context.reason", "context.message", "message", "reason", "rule.name", "rule_name"],
    severity: ["rule.severity", "severity", "context.rule.severity", "alert.actionGroupName"],
    state: kibanaState,
    time: ["date", "timestamp"],
    link: ["rule.url", "context.alertDetailsUrl", "url"],
    id: ["{rule.id}/{alert.id}", "{rule_id}/{alert_instance}", "rule.id", "rule_id", "rule.name", "rule_name"],
    facts: {
      Group: ["alert.actionGroupName", "action_group"],
      Space: "spaceId",
      Instance: ["alert.id", "alert_instance"],
    },
    fields: ["alert", "action_group"],
  },
  {
    // https://docs.honeycomb.io/notify/webhooks/
    name: "Honeycomb",
    marks: [
      ["trigger_url", "status"],
      ["result_url", "trigger_description"],
    ],
    title: "name",
    text: ["description", "summary", "trigger_description", "name"],
    severity: "severity",
    severityOf: ofCheck,
    state: "status",
    time: ["timestamp"],
    link: ["result_url", "trigger_url"],
    id: "id",
    isTest: ({ isTest }) => isTest === true,
    facts: { Summary: "summary", Condition: "{operator} {threshold}", Trigger: "trigger_url" },
    metadata: ({ shared_secret: _, ...payload }) => payload,
    fields: ["shared_secret", "version", "isTest"],
  },
  {
    // https://go2docs.graylog.org/current/interacting_with_your_log_data/notifications.html
    name: "Graylog",
    marks: [["event_definition_id", "event"]],
    title: "event_definition_title",
    text: ["event.message", "event_definition_description", "event_definition_title"],
    severity: "event.priority",
    severityWords: { critical: "4", high: "3", medium: "2", low: "1" },
    time: ["event.timestamp"],
    id: "event.id",
    incident: "{event_definition_id} {event.key}",
    facts: { Host: "event.source", Key: "event.key" },
  },
];
