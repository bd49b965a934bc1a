import type { AlertProvider } from "../../../../../shared/api/webhooks/webhooks.ts";

const labels: Readonly<Record<Exclude<AlertProvider, "custom">, string>> = {
  pagerduty: "PagerDuty",
  datadog: "Datadog",
  alertmanager: "Alertmanager",
  cloudwatch: "CloudWatch",
  github: "GitHub",
  grafana: "Grafana",
  "new-relic": "New Relic",
  sentry: "Sentry",
};

/** Returns the name of the monitoring tool that sent an alert; empty for tools without a format of their own. */
export const nameProvider = (provider: string): string =>
  (labels as Readonly<Record<string, string>>)[provider] ?? (provider === "custom" ? "" : provider);
