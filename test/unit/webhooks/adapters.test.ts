import { expect, it } from "vitest";
import { findEventKey, findIgnoredFields, findSource, normalizeAlert } from "#shared/webhooks/adapters/adapters.ts";
import type { AlertPayload } from "#shared/webhooks/adapters/types.ts";

const defaults = { nowMs: Date.UTC(2026, 0, 2), newAlertId: "new-id" };

function normalize(payload: AlertPayload, headers: Record<string, string> = {}) {
  const found = findSource(payload, headers);
  return { ...normalizeAlert(found, payload, defaults), ignored: findIgnoredFields(found, payload) };
}

const prometheusAlert = {
  status: "firing",
  labels: { alertname: "HighLatency", severity: "critical", instance: "web-1" },
  annotations: { summary: "p99 is 4 s", runbook_url: "https://runbooks.example.com/latency" },
  startsAt: "2026-02-03T04:05:06Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "https://prometheus.example.com/graph",
  fingerprint: "f1",
};

const notification = {
  version: "4",
  groupKey: '{}:{alertname="HighLatency"}',
  status: "firing",
  receiver: "switchboard",
  groupLabels: { alertname: "HighLatency" },
  commonLabels: { alertname: "HighLatency", severity: "critical" },
  commonAnnotations: { summary: "p99 is 4 s" },
  externalURL: "https://alertmanager.example.com",
  truncatedAlerts: 0,
  alerts: [
    prometheusAlert,
    { ...prometheusAlert, labels: { ...prometheusAlert.labels, instance: "web-2" }, fingerprint: "f2" },
  ],
};

const alarm = {
  AlarmName: "api-5xx",
  AlarmDescription: "More than 1 % of requests fail",
  AlarmArn: "arn:aws:cloudwatch:eu-central-1:1:alarm:api-5xx",
  NewStateValue: "ALARM",
  NewStateReason: "Threshold Crossed",
  StateChangeTime: "2026-02-03T04:05:06.789+0000",
  Region: "EU (Frankfurt)",
  Trigger: { MetricName: "5XXError", Namespace: "AWS/ApiGateway" },
};

const sns = (Message: string, fields: object = {}) => ({
  Type: "Notification",
  MessageId: "m-1",
  TopicArn: "arn:aws:sns:eu-central-1:1:alarms",
  Subject: "ALARM: api-5xx",
  Message,
  Timestamp: "2026-02-03T04:05:07Z",
  ...fields,
});

it("adapter for webhook alerts parses a generic alert with an alert_id as a Datadog monitor and keeps its generic fields", () => {
  const { alert, ignored } = normalize({
    severity: "critical",
    description: "Payments fail",
    alert_id: "a-1",
    triggered_at: "2026-02-03T04:05:06Z",
    affected_entities: [{ entity_type: "tenant", entity_id: "acme" }],
    metadata: { region: "eu" },
    team: "payments",
  });
  expect(alert).toMatchObject({
    provider: "datadog",
    severity: "critical",
    description: "Payments fail",
    alert_id: "a-1",
    triggered_at: "2026-02-03T04:05:06.000Z",
    metadata: { region: "eu", affected_entities: [{ entity_id: "acme" }] },
  });
  expect(ignored).toEqual(["team"]);
});

it("adapter for webhook alerts prefers Datadog's fields to the generic fields of the same alert", () => {
  const { alert } = normalize({
    alert_id: 7,
    alert_severity: "warning",
    body: "CPU",
    severity: "low",
    description: "x",
  });
  expect(alert).toMatchObject({ alert_id: "7", severity: "medium", description: "CPU" });
});

it.each([
  ["incident.triggered", "triggered", "open"],
  ["incident.acknowledged", "acknowledged", "acknowledged"],
  ["incident.resolved", "resolved", "resolved"],
  ["incident.reopened", "triggered", "open"],
])(
  "adapter for webhook alerts returns state, service, assignee, priority and link of the PagerDuty event %s",
  (event_type, status, state) => {
    const { alert, incident } = normalize({
      event: {
        id: "e-1",
        event_type,
        occurred_at: "2026-02-03T04:05:06Z",
        agent: { summary: "Ada Berg" },
        data: {
          id: "i-1",
          type: "incident",
          title: "Checkout is down",
          status,
          urgency: "low",
          html_url: "https://acme.example.com/incidents/i-1",
          service: { summary: "Checkout" },
          assignees: [{ summary: "Ada Berg" }, { summary: "Bo Lind" }],
          priority: { summary: "P1" },
          resolve_reason: { type: "merge_resolve_reason", incident: { summary: "[#7] Other" } },
        },
      },
    });
    expect(alert).toMatchObject({ severity: "critical", state, link: "https://acme.example.com/incidents/i-1" });
    expect(alert.details).toMatchObject({
      State: state,
      Service: "Checkout",
      "Assigned to": "Ada Berg, Bo Lind",
      Priority: "P1",
      Urgency: "low",
      By: "Ada Berg",
      "Resolve reason": "merge resolve reason: [#7] Other",
    });
    expect(incident).toBe("i-1");
  },
);

it("adapter for webhook alerts assigns a PagerDuty note to the note's incident", () => {
  const { alert, incident } = normalize({
    event: {
      id: "e-2",
      event_type: "incident.annotated",
      data: { id: "n-1", type: "incident_note", content: "Restarted db-1", incident: { id: "i-1", summary: "Down" } },
    },
  });
  expect([alert.description, alert.details.Note, incident]).toEqual(["Restarted db-1", "Restarted db-1", "i-1"]);
});

it("adapter for webhook alerts marks PagerDuty's test event as a test without an incident", () => {
  const { alert, incident } = normalize({ event: { id: "p", event_type: "pagey.ping", data: { message: "Hello" } } });
  expect([alert.is_test, alert.severity, alert.description, incident]).toEqual([true, "low", "Hello", null]);
});

it("adapter for webhook alerts combines the alerts of an Alertmanager group into one", () => {
  const { alert, incident } = normalize(notification);
  expect(alert).toMatchObject({
    provider: "alertmanager",
    severity: "critical",
    title: "HighLatency",
    state: "open",
  });
  expect(alert.description).toContain("firing: p99 is 4 s (web-1)");
  expect(alert.description).toContain("(web-2)");
  expect(alert.link).toBe("https://prometheus.example.com/graph");
  expect(incident).toBe(notification.groupKey);
  expect(normalize({ ...notification, status: "resolved" }).alert.state).toBe("resolved");
});

it("adapter for webhook alerts parses the fields that Grafana adds to the Alertmanager format", () => {
  const { alert } = normalize({
    ...notification,
    orgId: 1,
    title: "[FIRING:2] HighLatency",
    message: "**Firing**",
    state: "alerting",
    alerts: [{ ...prometheusAlert, panelURL: "https://grafana.example.com/d/1?viewPanel=2" }],
  });
  expect(alert).toMatchObject({ provider: "grafana", title: "[FIRING:2] HighLatency", state: "open" });
  expect(alert.link).toBe("https://grafana.example.com/d/1?viewPanel=2");
});

it("adapter for webhook alerts parses a CloudWatch alarm, a plain text and a subscription confirmation from an SNS message", () => {
  const { alert } = normalize(sns(JSON.stringify(alarm)), { "x-amz-sns-message-type": "Notification" });
  expect(alert).toMatchObject({
    provider: "cloudwatch",
    severity: "high",
    title: "api-5xx",
    description: "More than 1 % of requests fail",
    state: "open",
    triggered_at: "2026-02-03T04:05:06.789Z",
  });
  const resolved = normalize(sns(JSON.stringify({ ...alarm, NewStateValue: "OK" })));
  expect([resolved.alert.state, resolved.alert.severity]).toEqual(["resolved", "low"]);
  expect(normalize(sns("Plain text")).alert.description).toBe("Plain text");
  const SubscribeURL = "https://sns.example.com/?a=1";
  const confirmation = sns("Confirm", { Type: "SubscriptionConfirmation", SubscribeURL });
  expect(normalize(confirmation).alert).toMatchObject({
    is_test: true,
    details: { "Confirm at": SubscribeURL },
  });
});

it("adapter for webhook alerts parses alerts of Sentry, GitHub and New Relic", () => {
  const sentry = normalize(
    {
      action: "triggered",
      data: {
        event: {
          event_id: "s-1",
          issue_id: "9",
          title: "TypeError",
          level: "fatal",
          web_url: "https://sentry.example.com/9",
        },
        triggered_rule: "Too many errors",
      },
    },
    { "sentry-hook-resource": "event_alert" },
  );
  expect(sentry.alert).toMatchObject({
    provider: "sentry",
    severity: "critical",
    details: { Rule: "Too many errors" },
  });
  expect(sentry.incident).toBe("9");
  const github = normalize(
    {
      action: "created",
      alert: {
        number: 4,
        html_url: "https://github.example.com/a/b/4",
        security_advisory: { summary: "RCE", severity: "critical" },
      },
      repository: { full_name: "acme/shop" },
    },
    { "x-github-event": "dependabot_alert" },
  );
  expect(github.alert).toMatchObject({ provider: "github", severity: "critical", state: "open", title: "RCE" });
  expect(normalize({ zen: "Keep it simple.", hook_id: 1 }, { "x-github-event": "ping" }).alert.is_test).toBe(true);
  const newRelic = normalize({
    id: "n-1",
    issueUrl: "https://newrelic.example.com/n-1",
    title: "Apdex low",
    priority: "HIGH",
    state: "CLOSED",
    impactedEntities: ["shop"],
  });
  expect(newRelic.alert).toMatchObject({ provider: "new-relic", severity: "high", state: "resolved" });
});

it("adapter for webhook alerts is chosen by the header x-webhook-provider, or else by the fields event and alert_id of the body", () => {
  const providerOf = (payload: AlertPayload, headers = {}) => normalize(payload, headers).alert.provider;
  expect(providerOf({ event: { data: {} } })).toBe("pagerduty");
  expect(providerOf({ event: "text", alert_id: "1" })).toBe("datadog");
  expect(providerOf({ severity: "low", description: "x" })).toBe("custom");
  expect(providerOf({ alert_id: "1" }, { "x-webhook-provider": "custom" })).toBe("custom");
  expect(providerOf({ alert_id: "1" }, { "x-webhook-provider": "nagios" })).toBe("datadog");
});

it("adapter for webhook alerts returns the same event key for the same alert_id, and null without an alert_id", () => {
  const payload = { severity: "low", description: "x", alert_id: "a-1" };
  expect(findEventKey(payload)).toBe("a-1");
  expect(findEventKey({ ...payload, description: "y", team: "core" })).toBe("a-1");
  // One alert of Datadog has many events.
  expect(findEventKey({ ...payload, alert_transition: "Recovered" })).toBeNull();
  expect(findEventKey({ severity: "low", description: "x" })).toBeNull();
  expect(findEventKey({ event: "not an object" })).toBeNull();
});

it.each([
  {},
  { event: {} },
  { event: { data: null } },
  { alerts: [1] },
  { Type: "Notification", TopicArn: "x" },
  { description: "" },
  { severity: "urgent", description: "x", alert_type: "boredom" },
  { a: { b: [{ c: null }] }, "x.y": 1 },
])("adapter for webhook alerts refuses no payload: %j", (payload: AlertPayload) => {
  const { alert } = normalize(payload);
  expect(alert).toMatchObject({ title: null, alert_id: "new-id", state: null });
  expect(alert.description).not.toBe("");
});

it("Datadog adapter recognizes a repeated event by id and time, and has no event key when one of them is missing", () => {
  const custom = { alert_transition: "Triggered", alert_title: "CPU of web-1", body: "95 %" };
  expect(findEventKey(custom)).toBeNull();
  expect(findEventKey({ ...custom, alert_id: "7" })).toBeNull();
  expect(findEventKey({ ...custom, alert_id: "7", last_updated: "1790000000000" })).not.toBeNull();
});

it("Datadog adapter returns no state for a title that starts with the name of a JavaScript object property", () => {
  const { alert } = normalize({ alert_id: "7", title: "[constructor] failed" });
  expect(alert.state).toBeNull();
});

it.each([
  ["failure", "open"],
  ["error", "open"],
  ["success", "resolved"],
  ["pending", null],
  ["in_progress", null],
  ["inactive", null],
])("GitHub adapter maps the deployment state %s to the alert state %s", (state, expected) => {
  const payload = {
    deployment_status: { id: 1, state, environment: "prod" },
    repository: { full_name: "acme/shop" },
  };
  expect(normalize(payload, { "x-github-event": "deployment_status" }).alert.state).toBe(expected);
});

it.each([
  [
    "Azure Monitor",
    {
      schemaId: "azureMonitorCommonAlertSchema",
      data: {
        essentials: {
          alertId: "/subscriptions/s/alerts/b9569717",
          alertRule: "CPU of web",
          severity: "Sev1",
          monitorCondition: "Fired",
          firedDateTime: "2026-11-01T10:00:00Z",
          description: "CPU over 90 %",
        },
        alertContext: {},
      },
    },
    { severity: "high", title: "CPU of web", description: "CPU over 90 %", state: "open" },
  ],
  [
    "Google Cloud Monitoring",
    {
      version: "1.2",
      incident: {
        incident_id: "0.opqiw61fsv7p",
        policy_name: "Latency",
        summary: "Latency of checkout is 3 s",
        state: "closed",
        severity: "Critical",
        url: "https://console.cloud.google.com/x",
        started_at: 1_790_000_000,
        ended_at: 1_790_000_600,
      },
    },
    { title: "Latency", severity: "critical", state: "resolved", link: "https://console.cloud.google.com/x" },
  ],
  [
    "Better Stack",
    {
      data: {
        id: "25",
        type: "incident",
        attributes: {
          name: "shop.example.com",
          cause: "Status 502",
          started_at: "2026-11-01T10:00:00Z",
          acknowledged_at: "2026-11-01T10:01:00Z",
          resolved_at: null,
        },
      },
    },
    {
      severity: "medium",
      title: "shop.example.com",
      description: "Status 502",
      state: "acknowledged",
      alert_id: "25",
    },
  ],
  [
    "a resolved incident of Better Stack",
    { data: { id: "25", attributes: { cause: "Status 502", resolved_at: "2026-11-01T10:09:00Z" } } },
    { description: "Status 502", state: "resolved" },
  ],
  [
    "an incident of Better Stack that has started",
    {
      data: { id: "25", attributes: { cause: "Status 502", started_at: "2026-11-01T10:00:00Z", resolved_at: null } },
    },
    { state: "open" },
  ],
  [
    "an incident of Better Stack with a status only",
    { data: { id: "25", attributes: { cause: "Status 502", status: "Resolved" } } },
    { state: "resolved", severity: "low" },
  ],
  [
    "an alert of Google Cloud whose policy names its severity in a label",
    { incident: { incident_id: "7", summary: "Slow", policy_user_labels: { severity: "critical" } } },
    { severity: "critical" },
  ],
  [
    "a text next to an object with the name that PagerDuty uses",
    { message: "Disk full", level: "error", event: { id: "7", tags: [] } },
    { description: "Disk full", severity: "high" },
  ],
  [
    "a text inside of an object with the name that PagerDuty uses",
    { event_definition_title: "Disk", event: { message: "Disk full", priority: 2 } },
    { description: "Disk full" },
  ],
  [
    "Uptime Kuma",
    {
      heartbeat: { status: 0, time: "2026-11-01 10:00:00.000", msg: "timeout" },
      monitor: { name: "Shop", url: "https://shop.example.com" },
      msg: "[Shop] [Down] timeout",
    },
    { title: "Shop", description: "[Shop] [Down] timeout", state: "open", link: "https://shop.example.com" },
  ],
  ["a title and a message", { title: "Backup", message: "Backup failed" }, { title: "Backup", severity: "medium" }],
  ["a text only", { text: "Backup failed" }, { title: null, description: "Backup failed" }],
])("adapter for custom webhook payloads reads %s", (_, payload, expected) => {
  const { alert } = normalize(payload as AlertPayload);
  expect(alert).toMatchObject({ provider: "custom", is_test: false, ...expected });
});

it("adapter for custom webhook payloads returns the id of the incident, and the same event key for a repeated event only", () => {
  const incident = (state: string) => ({ incident: { incident_id: "7", summary: "Slow", state } });
  expect(normalize(incident("open"))).toMatchObject({ incident: "7", alert: { state: "open" } });
  expect(normalize(incident("closed"))).toMatchObject({ incident: "7", alert: { state: "resolved" } });
  const keyOf = (state: string) => findEventKey(incident(state));
  const [opened, closed] = [keyOf("open"), keyOf("closed")];
  expect([opened, closed]).toEqual([expect.any(String), expect.any(String)]);
  expect([keyOf("open"), keyOf("closed")]).toEqual([opened, closed]);
  expect(opened).not.toBe(closed);
  const other = { incident: { incident_id: "8", summary: "Slow", state: "open" } };
  expect([opened, closed]).not.toContain(findEventKey(other));
});

it("adapter for custom webhook payloads reads title, text, severity and link at the paths of the channel first", () => {
  const payload = {
    message: "ignored",
    alarm: { items: [{ what: "Disk full", how: "P1" }], page: "https://a.example" },
  };
  const paths = { title: "message", text: "alarm.items.0.what", severity: "alarm.items.0.how", link: "alarm.page" };
  expect(normalizeAlert(findSource(payload, {}, paths), payload, defaults).alert).toMatchObject({
    title: "ignored",
    description: "Disk full",
    severity: "critical",
    link: "https://a.example",
  });
});

it.each(["__proto__.x", "constructor.name", "message.length", "toString"])(
  "adapter for custom webhook payloads finds nothing at the path %s, which leads out of the payload",
  (text) => {
    const payload = { message: "Disk full" };
    const found = findSource(payload, {}, { text });
    expect(normalizeAlert(found, payload, defaults).alert.description).toBe("Disk full");
  },
);

it.each([
  ["with a commit", { head_commit: { message: "Fix", timestamp: "2026-11-01T10:00:00Z" } }],
  ["that deletes a branch", { deleted: true, head_commit: null }],
  ["without commits", { commits: [] }],
])("GitHub push %s has a low severity", (_, fields) => {
  const payload = { ref: "refs/heads/main", repository: { full_name: "a/b" }, sender: { login: "c" }, ...fields };
  expect(normalize(payload)).toMatchObject({ alert: { severity: "low", state: null } });
});

it("GitHub event without a known subject has a low severity", () => {
  const payload = { action: "created", repository: { full_name: "a/b" }, sender: { login: "c" }, comment: {} };
  expect(normalize(payload).alert.severity).toBe("low");
});
