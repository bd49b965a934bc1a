/** Alert payload in its provider's format, with invented content, and the alert that it must be normalized to. */
export interface AlertSample {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly provider: "pagerduty" | "datadog" | "custom";
  readonly severity: "low" | "medium" | "high" | "critical";
  /** Prefix of the normalized description. */
  readonly description: string;
}

const reference = (type: string, id: string, summary: string) => ({
  html_url: `https://acme.example.com/${type}s/${id}`,
  id,
  self: `https://api.example.com/${type}s/${id}`,
  summary,
  type: `${type}_reference`,
});

const service = reference("service", "PSVC042", "Checkout API");
const anna = reference("user", "PUSR001", "Anna Berg");

let count = 0;

/** Builds an event of PagerDuty's V3 webhooks. */
function incident(event_type: string, data: Record<string, unknown>) {
  const n = String(++count).padStart(4, "0");
  return {
    event: {
      id: `01DVUHO6P4XQDFJ9AHOADL${n}`,
      event_type,
      resource_type: "incident",
      occurred_at: "2026-10-02T18:45:22.169Z",
      agent: anna,
      client: { name: "PagerDuty" },
      data: {
        id: `Q3TO0X6EVJ${n}`,
        type: "incident",
        self: `https://api.example.com/incidents/Q3TO0X6EVJ${n}`,
        html_url: `https://acme.example.com/incidents/Q3TO0X6EVJ${n}`,
        number: 2_000 + count,
        status: "triggered",
        incident_key: `d3640fbd41094207a1c11e58e46b${n}`,
        created_at: "2026-10-02T18:45:20Z",
        title: "A little bump in the road",
        service,
        assignees: [anna],
        escalation_policy: reference("escalation_policy", "PUS0KTE", "Default"),
        teams: [reference("team", "PFCVPS0", "Engineering")],
        priority: reference("priority", "PSO75BM", "P1"),
        urgency: "high",
        conference_bridge: { conference_number: "+1 1234123412,,987654321#", conference_url: "https://example.com" },
        resolve_reason: null,
        ...data,
      },
    },
  };
}

const incidents: AlertSample[] = (
  [
    ["incident.triggered", { title: "Checkout API: error rate above 5 %" }, "high", "Checkout API: error rate"],
    ["incident.triggered", { title: "Backup of db-3 is late", urgency: "low" }, "medium", "Backup of db-3 is late"],
    [
      "incident.triggered",
      { title: "Größe des Zwischenspeichers überschritten 🚨" },
      "high",
      "Größe des Zwischenspeichers",
    ],
    ["incident.triggered", { description: "p99 is 4.2 s\nsince 18:40", title: "Latency" }, "high", "p99 is 4.2 s"],
    ["incident.acknowledged", { status: "acknowledged", title: "Disk of db-1 is full" }, "high", "Disk of db-1"],
    ["incident.resolved", { status: "resolved", title: "Queue is growing", urgency: "low" }, "medium", "Queue is"],
    ["incident.escalated", { title: "TLS certificate expires in 3 days" }, "high", "TLS certificate"],
    ["incident.reassigned", { title: "Payments: timeouts to the bank" }, "high", "Payments: timeouts"],
    ["incident.delegated", { title: "Login fails for 2 % of people" }, "high", "Login fails"],
    ["incident.priority_updated", { title: "Search returns nothing", priority: null }, "high", "Search returns"],
    ["incident.reopened", { title: "Memory of worker-7 keeps rising" }, "high", "Memory of worker-7"],
    ["incident.unacknowledged", { title: "Replica lag above 60 s" }, "high", "Replica lag"],
    ["incident.status_update_published", { title: "Export is slow", urgency: "low" }, "medium", "Export is slow"],
    ["incident.conference_bridge.updated", { title: "DNS answers SERVFAIL" }, "high", "DNS answers SERVFAIL"],
  ] as const
).map(([event, data, severity, description], n) => ({
  name: `${event} ${n}`,
  payload: incident(event, data),
  provider: "pagerduty",
  // Samples have the priority P1 unless they set `priority`. The priority takes precedence over the urgency.
  severity: "priority" in data ? severity : "critical",
  description,
}));

/** Builds the payload that the README's Datadog template renders. */
function monitor(fields: Record<string, unknown>) {
  return {
    alert_id: String(7_000_000 + ++count),
    alert_title: "[Triggered] CPU of checkout is high",
    alert_status: "avg(last_5m):avg:system.cpu.user{service:checkout} > 90",
    alert_transition: "Triggered",
    alert_severity: "error",
    body: "%%%\nCPU of **checkout** is at 96.4 %.\n\n[Runbook](https://runbooks.example.com/cpu) @ops\n%%%",
    last_updated: "1759430722000",
    ...fields,
  };
}

const monitors: AlertSample[] = (
  [
    ["metric alert", {}, "high"],
    ["warning", { alert_transition: "Warn", alert_severity: "warning", body: "Disk at 85 %" }, "medium"],
    ["recovery", { alert_transition: "Recovered", alert_severity: "success", body: "Disk at 40 %" }, "low"],
    ["no data", { alert_transition: "No Data", body: "No data from agent of web-4 for 10 minutes" }, "high"],
    ["renotification", { alert_transition: "Re-Triggered", body: "Still: queue depth 120,000" }, "high"],
    ["log monitor", { body: "1,204 lines with `status:error` in 5 minutes\n```\nTypeError: x is null\n```" }, "high"],
    ["synthetic test", { body: "The test *Login from Frankfurt* failed: expected 200, got 502" }, "high"],
    ["anomaly", { alert_severity: "warning", body: "Requests are 4.1 deviations below normal" }, "medium"],
    ["forecast", { alert_severity: "warning", body: "Disk of db-2 is full in about 3 days" }, "medium"],
    ["composite", { body: "a && b: errors and latency are both high" }, "high"],
    ["process check", { alert_severity: "critical", body: "Process `postgres` is not running on db-1" }, "critical"],
    ["objective", { alert_severity: "critical", body: "98 % of the error budget is spent" }, "critical"],
    ["empty body", { body: "", alert_title: "[Warn] Host i-0abc is unreachable" }, "high"],
    ["numeric fields", { alert_id: 7_654_321, last_updated: 1_759_430_722_000, body: "As numbers" }, "high"],
  ] as const
).map(([name, fields, severity]) => {
  const payload = monitor(fields);
  const description = String(payload.body || payload.alert_title).slice(0, 20);
  return { name: `monitor: ${name}`, payload, provider: "datadog", severity, description };
});

const entity = (entity_type: string, entity_id: string) => ({ entity_type, entity_id });

const customs: AlertSample[] = (
  [
    ["low", { alert_type: "quota_threshold", description: "80 % of the tokens of October are used" }],
    ["medium", { alert_type: "usage_anomaly", description: "Three times as many questions as on other Mondays" }],
    ["high", { alert_type: "compliance_violation", description: "An export left the region" }],
    ["critical", { alert_type: "security_incident", description: "200 failed logins from one network in a minute" }],
    ["high", { description: "No type given, so it is a security incident" }],
    ["low", { description: "Nightly report ready", alert_id: "report-2026-10-02" }],
    ["medium", { description: "With times", alert_id: "t-1", triggered_at: "2026-10-02T20:45:22+02:00" }],
    ["high", { description: "With entities", affected_entities: [entity("user", "u-77"), entity("project", "p-3")] }],
    ["low", { description: "With metadata", metadata: { region: "eu-central-1", tags: ["a", "b"], depth: { n: 1 } } }],
    ["critical", { description: "日本語の説明: ディスクがいっぱいです" }],
    ["medium", { description: 'Quotes " and \\ backslashes \u2028 and separators' }],
    ["high", { description: "Long: ".padEnd(15_000, "lorem ipsum ") }],
  ] as const
).map(([severity, fields], n) => ({
  name: `custom ${n}`,
  payload: { severity, ...fields },
  // `alert_id` alone would select the monitor provider.
  ...("alert_id" in fields && { headers: { "x-webhook-provider": "custom" } }),
  provider: "custom",
  severity,
  description: fields.description.slice(0, 20),
}));

/** Forty alerts that cover the kinds operations teams receive. */
export const alertSamples: readonly AlertSample[] = [...incidents, ...monitors, ...customs];
