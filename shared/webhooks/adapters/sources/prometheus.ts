import { Severity } from "../../../api/webhooks/investigate.ts";
import type { AlertProvider } from "../../../api/webhooks/webhooks.ts";
import { isJsonObject } from "../../../lib/parse-json.ts";
import { asText, findText, textAt, valueAt } from "../paths.ts";
import type { AlertSource } from "../source.ts";
import type { AlertPayload } from "../types.ts";
import { namedSeverity } from "../words.ts";

/** Maximum number of alerts that a message lists. A group can contain hundreds. */
const MAX_LISTED_ALERTS = 20;

const listAlerts = ({ alerts }: AlertPayload): AlertPayload[] =>
  Array.isArray(alerts) ? alerts.filter(isJsonObject) : [];

/** Returns the highest severity that the labels of the group and of its alerts name. */
function severityOf(payload: AlertPayload): Severity | null {
  const labels = ["commonLabels", "groupLabels"].map((field) => payload[field]);
  const all = [...labels, ...listAlerts(payload).map((alert) => alert.labels)];
  const found = all.flatMap((each) => {
    const text = findText(isJsonObject(each) ? each : {}, ["severity", "priority", "level"]);
    return (text === null ? null : namedSeverity(text)) ?? [];
  });
  return found.toSorted((a, b) => Severity.options.indexOf(b) - Severity.options.indexOf(a))[0] ?? null;
}

/** Returns summary and description from annotations, only once if they are equal. */
function describeAnnotations(annotations: unknown): string[] {
  const [summary, description, message] = ["summary", "description", "message"].map((name) =>
    textAt(annotations, name),
  );
  return [...new Set([summary, description ?? message].flatMap((text) => text ?? []))];
}

function describeAlert(alert: AlertPayload): string {
  const text = describeAnnotations(alert.annotations).join(": ") || textAt(alert, "labels.alertname") || "alert";
  const place = findText(alert, ["labels.instance", "labels.pod", "labels.job"]);
  return `${textAt(alert, "status") ?? "firing"}: ${text}${place ? ` (${place})` : ""}`;
}

function describe(payload: AlertPayload): string {
  const alerts = listAlerts(payload);
  const common = describeAnnotations(payload.commonAnnotations).join("\n\n");
  const intro = textAt(payload, "message") ?? common;
  const lines = alerts.slice(0, MAX_LISTED_ALERTS).map((alert) => `- ${describeAlert(alert)}`);
  const rest = alerts.length > MAX_LISTED_ALERTS ? [`- and ${alerts.length - MAX_LISTED_ALERTS} more`] : [];
  const list = alerts.length > 1 || !intro ? [[...lines, ...rest].join("\n")] : [];
  return [intro, ...list].filter(Boolean).join("\n\n");
}

const isResolved = (payload: AlertPayload) =>
  findText(payload, ["status", "state"]) === "resolved" || textAt(payload, "state") === "ok";

const pairs = (value: unknown, separator: string) =>
  Object.entries(isJsonObject(value) ? value : {})
    .map(([key, each]) => `${key}=${asText(each)}`)
    .join(separator);

const shownAnnotations: ReadonlySet<string> = new Set(["summary", "description", "message", "runbook_url"]);

function otherAnnotations(payload: AlertPayload): Record<string, unknown> {
  const alerts = listAlerts(payload);
  const all = { ...(alerts.length === 1 && Object(alerts[0]?.annotations)), ...Object(payload.commonAnnotations) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !shownAnnotations.has(name)));
}

const alertName = ["commonLabels.alertname", "alerts.0.labels.alertname"];

/**
 * Returns a source for Alertmanager's notifications, which Grafana extends.
 * @see https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
 * @see https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
const createSource = (provider: AlertProvider, name: string, source: Pick<AlertSource, "matches" | "signature">) =>
  ({
    name,
    provider,
    ...source,
    title: ["title", ...alertName],
    text: [describe, ...alertName],
    severity: severityOf,
    severityOf: "medium",
    state: (payload) => (isResolved(payload) ? "resolved" : "open"),
    time: (payload) => textAt(payload, isResolved(payload) ? "alerts.0.endsAt" : "alerts.0.startsAt"),
    link: ["alerts.0.panelURL", "alerts.0.dashboardURL", "alerts.0.generatorURL", "externalURL"],
    id: "alerts.0.fingerprint",
    incident: "groupKey",
    // Alertmanager repeats a notification while its alerts fire. Repetitions count as one event until an alert changes.
    event: [
      (payload) => {
        const alerts = listAlerts(payload).map((alert) =>
          ["fingerprint", "status", "startsAt", "endsAt"].map((path) => textAt(alert, path) ?? undefined),
        );
        return JSON.stringify([payload.groupKey, payload.status, alerts]);
      },
    ],
    isTest: (payload) => findText(payload, alertName) === "TestAlert",
    facts: {
      Alert: alertName,
      Alerts: ({ alerts }) => (Array.isArray(alerts) ? String(alerts.length) : null),
      Labels: (payload) => pairs(payload.commonLabels ?? valueAt(payload, "alerts.0.labels"), ", "),
      Values: ["alerts.0.valueString", (payload) => pairs(valueAt(payload, "alerts.0.values"), ", ")],
      Receiver: "receiver",
      Runbook: ["commonAnnotations.runbook_url", "alerts.0.annotations.runbook_url"],
      Dashboard: "alerts.0.dashboardURL",
      Silence: "alerts.0.silenceURL",
      Source: "alerts.0.generatorURL",
    },
    moreFacts: otherAnnotations,
    metadata: (payload, { title }) => ({
      title,
      labels: Object(payload.commonLabels),
      group: Object(payload.groupLabels),
    }),
    fields:
      "status groupKey groupLabels commonLabels commonAnnotations message state alerts version truncatedAlerts orgId".split(
        " ",
      ),
  }) satisfies AlertSource;

const hasAlerts = (payload: AlertPayload) => listAlerts(payload).length > 0;

/** Returns true if the first alert has a field that only Grafana sends. Custom templates can change all other fields. */
const hasGrafanaAlert = (payload: AlertPayload) => valueAt(payload, "alerts.0.silenceURL") !== undefined;

export const grafanaSource: AlertSource = createSource("grafana", "Grafana", {
  matches: (payload) =>
    hasAlerts(payload) &&
    ("orgId" in payload || ("title" in payload && "message" in payload) || hasGrafanaAlert(payload)),
  // The contact point names the header of the time, without a default. https://github.com/grafana/alerting/pull/285
  signature: {
    name: "X-Grafana-Alerting-Signature",
    timestamp: {
      names: ["X-Grafana-Alerting-Timestamp", "X-Grafana-Alerting-Signature-Timestamp"],
      unit: "seconds",
      separator: ":",
    },
  },
});

export const alertmanagerSource: AlertSource = createSource("alertmanager", "Alertmanager", { matches: hasAlerts });
