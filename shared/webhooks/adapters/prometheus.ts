import * as v from "valibot";
import type { Severity } from "../../api/webhooks/investigate.ts";
import type { AlertProvider } from "../../api/webhooks/webhooks.ts";
import { details, MAX_ALERT_TEXT_LENGTH, optionalText, parsePayload, shorten, toFacts, toTimestamp } from "./fields.ts";
import type { AlertAdapter, AlertPayload } from "./types.ts";

/** Maximum number of alerts that a message lists. A group can contain hundreds. */
const MAX_LISTED_ALERTS = 20;

const Labels = v.fallback(v.nullish(v.record(v.string(), v.unknown())), undefined);

/**
 * Fields of Alertmanager's notifications, which Grafana extends.
 * @see https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
 * @see https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/
 */
const entries = {
  status: optionalText(),
  receiver: optionalText(),
  groupKey: optionalText(1_000),
  groupLabels: Labels,
  commonLabels: Labels,
  commonAnnotations: Labels,
  externalURL: optionalText(2_000),
  title: optionalText(MAX_ALERT_TEXT_LENGTH),
  message: optionalText(MAX_ALERT_TEXT_LENGTH),
  state: optionalText(),
  alerts: v.array(
    v.looseObject({
      status: optionalText(),
      labels: Labels,
      annotations: Labels,
      startsAt: optionalText(),
      endsAt: optionalText(),
      generatorURL: optionalText(2_000),
      fingerprint: optionalText(),
      dashboardURL: optionalText(2_000),
      panelURL: optionalText(2_000),
      silenceURL: optionalText(2_000),
      valueString: optionalText(1_000),
      values: Labels,
    }),
  ),
};

const Notification = v.looseObject(entries);
type Notification = v.InferOutput<typeof Notification>;
type PrometheusAlert = Notification["alerts"][number];

/** Severities by the usual values of the label `severity`, in lower case. */
export const labelSeverities: Readonly<Record<string, Severity>> = {
  critical: "critical",
  page: "critical",
  emergency: "critical",
  high: "high",
  error: "high",
  major: "high",
  warning: "medium",
  warn: "medium",
  medium: "medium",
  minor: "low",
  low: "low",
  info: "low",
  none: "low",
};

const rank: readonly Severity[] = ["low", "medium", "high", "critical"];

const toText = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : null);

function severityOf({ alerts, commonLabels }: Notification): Severity {
  const labels = [commonLabels?.severity, ...alerts.map((alert) => alert.labels?.severity)];
  const found = labels.flatMap((label) => labelSeverities[toText(label)?.toLowerCase() ?? ""] ?? []);
  return found.sort((a, b) => rank.indexOf(b) - rank.indexOf(a))[0] ?? "medium";
}

/** Returns summary and description from annotations, only once if they are equal. */
function describeAnnotations(annotations: PrometheusAlert["annotations"]): string[] {
  const texts = [annotations?.summary, annotations?.description ?? annotations?.message].flatMap(
    (text) => toText(text) ?? [],
  );
  return [...new Set(texts)];
}

function describeAlert({ status, labels, annotations }: PrometheusAlert): string {
  const text = describeAnnotations(annotations).join(": ") || toText(labels?.alertname) || "alert";
  const place = labels?.instance ?? labels?.pod ?? labels?.job;
  return `${status ?? "firing"}: ${text}${place ? ` (${place})` : ""}`;
}

function describe({ alerts, message, commonAnnotations }: Notification): string {
  const common = describeAnnotations(commonAnnotations).join("\n\n");
  const lines = alerts.slice(0, MAX_LISTED_ALERTS).map((alert) => `- ${describeAlert(alert)}`);
  const rest = alerts.length > MAX_LISTED_ALERTS ? [`- and ${alerts.length - MAX_LISTED_ALERTS} more`] : [];
  return [message || common, ...(alerts.length > 1 || !(message || common) ? [[...lines, ...rest].join("\n")] : [])]
    .filter(Boolean)
    .join("\n\n");
}

function createAdapter(
  provider: AlertProvider,
  label: string,
  matches: (payload: AlertPayload) => boolean,
): AlertAdapter {
  return {
    provider,
    label,
    matches,
    fields: [...Object.keys(entries), "version", "truncatedAlerts", "orgId"],
    normalize(payload, { nowMs, newAlertId }) {
      const notification = parsePayload(Notification, payload);
      const { alerts, commonLabels, groupLabels, groupKey, receiver } = notification;
      const [first] = alerts;
      const isResolved = (notification.status ?? notification.state) === "resolved" || notification.state === "ok";
      const name = toText(commonLabels?.alertname) ?? toText(first?.labels?.alertname);
      const time = isResolved ? first?.endsAt : first?.startsAt;
      const runbook = toText(notification.commonAnnotations?.runbook_url) ?? toText(first?.annotations?.runbook_url);
      const { summary, description, message, runbook_url, ...otherAnnotations } = {
        ...(alerts.length === 1 && first?.annotations),
        ...notification.commonAnnotations,
      };
      const labels = Object.entries(commonLabels ?? first?.labels ?? {}).map(
        ([key, value]) => `${key}=${toText(value)}`,
      );
      return {
        alert: {
          provider,
          severity: severityOf(notification),
          title: notification.title ?? name,
          description: shorten(describe(notification) || name || "(no description)", MAX_ALERT_TEXT_LENGTH),
          alert_id: first?.fingerprint ?? newAlertId,
          triggered_at: toTimestamp(time, nowMs),
          state: isResolved ? "resolved" : "open",
          is_test: name === "TestAlert",
          details: details(
            {
              State: isResolved ? "resolved" : "open",
              Alert: name,
              Alerts: String(alerts.length),
              Labels: labels.join(", "),
              Values:
                first?.valueString ??
                Object.entries(first?.values ?? {})
                  .map((pair) => pair.join("="))
                  .join(", "),
              Receiver: receiver,
              Runbook: runbook,
              Dashboard: first?.dashboardURL,
              Silence: first?.silenceURL,
              Source: first?.generatorURL,
            },
            toFacts(otherAnnotations),
          ),
          link: first?.panelURL || first?.dashboardURL || first?.generatorURL || notification.externalURL || null,
          metadata: { title: notification.title ?? name, labels: commonLabels ?? {}, group: groupLabels ?? {} },
        },
        // Alertmanager repeats a notification while its alerts fire. Repetitions count as one event until an alert
        // changes.
        eventKey: JSON.stringify([
          groupKey,
          notification.status,
          alerts.map(({ fingerprint, status, startsAt, endsAt }) => [fingerprint, status, startsAt, endsAt]),
        ]),
        incident: groupKey ? shorten(groupKey, 200) : null,
      };
    },
  };
}

const hasAlerts = ({ alerts }: AlertPayload) => Array.isArray(alerts);

/**
 * Returns true if the first alert has a field that only Grafana sends. Custom templates can change all other fields of
 * the payload.
 */
const hasGrafanaAlert = ({ alerts }: AlertPayload) => {
  const [first] = alerts as unknown[];
  return typeof first === "object" && first !== null && "silenceURL" in first;
};

/** Adapter for Grafana alerting. Its payload contains an organization id. */
export const grafanaAdapter = createAdapter(
  "grafana",
  "Grafana",
  (payload) =>
    hasAlerts(payload) &&
    ("orgId" in payload || ("title" in payload && "message" in payload) || hasGrafanaAlert(payload)),
);

export const alertmanagerAdapter = createAdapter("alertmanager", "Alertmanager", hasAlerts);
