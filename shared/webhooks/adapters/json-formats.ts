/** Part of an alert for which a path into the payload can be given. */
export type AlertPart =
  | "title"
  | "text"
  | "severity"
  | "link"
  | "id"
  | "time"
  | "state"
  | "startedAt"
  | "acknowledgedAt"
  | "resolvedAt";

/** Paths by part of the alert, in the order in which they are tried. */
export type AlertPartPaths = Readonly<Partial<Record<AlertPart, readonly string[]>>>;

/** Format of a monitoring tool whose payload can be read by paths alone. */
export interface Format {
  readonly name: string;
  /** Path that exists only in payloads of this tool. */
  readonly marker: string;
  readonly paths: AlertPartPaths;
}

/** Formats of monitoring tools, from their documentation. */
export const formats: readonly Format[] = [
  {
    // https://learn.microsoft.com/azure/azure-monitor/alerts/alerts-common-schema
    name: "Azure Monitor",
    marker: "data.essentials",
    paths: {
      title: ["data.essentials.alertRule"],
      text: ["data.essentials.description", "data.essentials.alertRule"],
      severity: ["data.essentials.severity"],
      link: ["data.essentials.investigationLink"],
      id: ["data.essentials.alertId"],
      time: ["data.essentials.resolvedDateTime", "data.essentials.firedDateTime"],
      state: ["data.essentials.monitorCondition"],
    },
  },
  {
    // https://cloud.google.com/monitoring/support/notification-options#webhooks
    name: "Google Cloud Monitoring",
    marker: "incident.incident_id",
    paths: {
      title: ["incident.policy_name", "incident.condition_name"],
      text: ["incident.summary", "incident.documentation.content", "incident.condition_name"],
      severity: ["incident.severity", "incident.policy_user_labels.severity"],
      link: ["incident.url"],
      id: ["incident.incident_id"],
      time: ["incident.ended_at", "incident.started_at"],
      state: ["incident.state"],
    },
  },
  {
    // https://betterstack.com/docs/uptime/webhooks/
    name: "Better Stack",
    marker: "data.attributes",
    paths: {
      title: ["data.attributes.name"],
      text: ["data.attributes.cause", "data.attributes.name"],
      severity: ["data.attributes.severity"],
      link: ["data.attributes.origin_url", "data.attributes.url"],
      id: ["data.id"],
      time: ["data.attributes.resolved_at", "data.attributes.acknowledged_at", "data.attributes.started_at"],
      state: ["data.attributes.status"],
      startedAt: ["data.attributes.started_at"],
      acknowledgedAt: ["data.attributes.acknowledged_at"],
      resolvedAt: ["data.attributes.resolved_at"],
    },
  },
  {
    // https://github.com/louislam/uptime-kuma/blob/master/server/notification-providers/webhook.js
    name: "Uptime Kuma",
    marker: "heartbeat.status",
    paths: {
      title: ["monitor.name"],
      text: ["msg", "heartbeat.msg"],
      link: ["monitor.url"],
      time: ["heartbeat.time"],
      state: ["heartbeat.status"],
    },
  },
];

/** Paths that are tried in payloads of unknown tools. */
export const commonPaths: AlertPartPaths = {
  title: ["title", "subject", "name", "alert.title", "alert.name", "rule", "event.title"],
  text: ["message", "text", "msg", "body", "content", "summary", "alert.message", "alert.description", "event.message"],
  severity: ["severity", "level", "priority", "alert.severity"],
  link: ["link", "url", "alert.url"],
  time: ["timestamp", "time", "triggered_at", "created_at"],
  state: ["state", "status", "alert.status"],
};
