/** Payload in the form that its provider sends, with invented content. */
export interface ProviderPayload {
  readonly name: string;
  readonly provider: string;
  /** Signature scheme of the channel, and the header in which the provider sends its HMAC. */
  readonly signedBy: "token" | "standard-webhooks" | { readonly header: string; readonly prefix?: string };
  /** Headers that the provider sends and does not sign. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly severity: "low" | "medium" | "high" | "critical";
  readonly state: "open" | "acknowledged" | "resolved" | null;
  readonly isTest?: boolean;
  /** Texts that the message and the prompt must contain. */
  readonly shows: readonly string[];
}

const pagerdutyHeader = { header: "x-pagerduty-signature", prefix: "v1=" };

const reference = (type: string, id: string, summary: string) => ({
  html_url: `https://acme.example.com/${type}s/${id}`,
  id,
  self: `https://api.example.com/${type}s/${id}`,
  summary,
  type: `${type}_reference`,
});

const incidentReference = reference("incident", "Q2CHECKOUT", "Checkout fails for 4 % of carts");

function pagerdutyEvent(event_type: string, data: object, fields: object = {}) {
  const [resource_type] = event_type.split(".");
  return {
    event: {
      id: `01F${event_type.replaceAll(/[._]/g, "").toUpperCase()}`,
      event_type,
      resource_type,
      occurred_at: "2026-10-02T18:45:22.169Z",
      agent: reference("user", "PUSER01", "Mira Okafor"),
      client: null,
      data,
      ...fields,
    },
  };
}

const pagerdutyIncident = (fields: object) => ({
  id: "Q2CHECKOUT",
  type: "incident",
  self: "https://api.example.com/incidents/Q2CHECKOUT",
  html_url: "https://acme.example.com/incidents/Q2CHECKOUT",
  number: 4711,
  status: "triggered",
  incident_key: "checkout-5xx",
  created_at: "2026-10-02T18:45:20Z",
  title: "Checkout fails for 4 % of carts",
  service: reference("service", "PSVC01", "Checkout API"),
  assignees: [reference("user", "PUSER02", "Jonas Lindqvist")],
  escalation_policy: reference("escalation_policy", "PESC01", "Shop on-call"),
  teams: [reference("team", "PTEAM01", "Storefront")],
  priority: null,
  urgency: "high",
  conference_bridge: { conference_number: "+1 555 0100,,1234#", conference_url: "https://meet.example.com/checkout" },
  resolve_reason: null,
  ...fields,
});

const incidentTexts = [
  "Checkout fails for 4 % of carts",
  "Checkout API",
  "Shop on-call",
  "Storefront",
  "#4711",
  "https://acme.example.com/incidents/Q2CHECKOUT",
  "https://meet.example.com/checkout",
  "PagerDuty",
];

const pagerduty = (
  event_type: string,
  data: object,
  expected: Pick<ProviderPayload, "severity" | "state" | "shows"> & { readonly isTest?: boolean },
  fields: object = {},
): ProviderPayload => ({
  name: `PagerDuty ${event_type}`,
  provider: "pagerduty",
  signedBy: pagerdutyHeader,
  headers: { "x-webhook-subscription": "PWEBHK1" },
  payload: pagerdutyEvent(event_type, data, fields),
  ...expected,
});

const pagerdutyPayloads: ProviderPayload[] = [
  pagerduty("incident.triggered", pagerdutyIncident({}), {
    severity: "high",
    state: "open",
    shows: [...incidentTexts, "Jonas Lindqvist", "Triggered", "State: open", "Urgency: high"],
  }),
  pagerduty("incident.acknowledged", pagerdutyIncident({ status: "acknowledged" }), {
    severity: "high",
    state: "acknowledged",
    shows: [...incidentTexts, "Acknowledged", "State: acknowledged", "By: Mira Okafor"],
  }),
  pagerduty(
    "incident.resolved",
    pagerdutyIncident({
      status: "resolved",
      assignees: [],
      resolve_reason: {
        type: "merge_resolve_reason",
        incident: reference("incident", "Q2OTHER", "[#4709] Bank is down"),
      },
    }),
    {
      severity: "high",
      state: "resolved",
      shows: [...incidentTexts, "State: resolved", "Resolve reason: merge resolve reason: [#4709] Bank is down"],
    },
  ),
  pagerduty("incident.escalated", pagerdutyIncident({ assignees: [reference("user", "PUSER03", "Ana Ruiz")] }), {
    severity: "high",
    state: "open",
    shows: [...incidentTexts, "Escalated", "Assigned to: Ana Ruiz"],
  }),
  pagerduty(
    "incident.reassigned",
    pagerdutyIncident({
      assignees: [reference("user", "PUSER03", "Ana Ruiz"), reference("user", "PUSER04", "Li Wei")],
      urgency: "low",
    }),
    { severity: "medium", state: "open", shows: [...incidentTexts, "Reassigned", "Assigned to: Ana Ruiz, Li Wei"] },
  ),
  pagerduty(
    "incident.annotated",
    {
      incident: incidentReference,
      id: "PNOTE01",
      content: "Rolled back release 812, watching the error rate.",
      trimmed: false,
      type: "incident_note",
    },
    {
      severity: "medium",
      state: null,
      shows: [
        "Note added",
        "Rolled back release 812, watching the error rate.",
        "Checkout fails for 4 % of carts",
        "By: Mira Okafor",
        "https://acme.example.com/incidents/Q2CHECKOUT",
      ],
    },
  ),
  pagerduty(
    "incident.priority_updated",
    pagerdutyIncident({ priority: reference("priority", "PPRIO1", "P1"), urgency: "low" }),
    { severity: "critical", state: "open", shows: [...incidentTexts, "Priority changed", "Priority: P1"] },
  ),
  pagerduty(
    "incident.responder.replied",
    {
      incident: incidentReference,
      user: reference("user", "PUSER05", "Noor Haddad"),
      escalation_policy: null,
      message: "Looking at the payment gateway now.",
      state: "accepted",
      type: "incident_responder",
    },
    {
      severity: "medium",
      state: null,
      shows: ["Looking at the payment gateway now.", "Responder: Noor Haddad", "Responder state: accepted"],
    },
  ),
  pagerduty(
    "pagey.ping",
    { message: "Hello from your friend Pagey!", type: "ping" },
    { severity: "low", state: null, isTest: true, shows: ["TEST", "Hello from your friend Pagey!"] },
    { agent: null },
  ),
];

const datadogPayloads: ProviderPayload[] = [
  {
    name: "Datadog default payload",
    provider: "datadog",
    signedBy: "token",
    payload: {
      id: "8082436309665268001",
      last_updated: "1790966722000",
      event_type: "query_alert_monitor",
      title: "[P2] [Triggered on {host:db-7}] Replication lag of the order database",
      date: "1790966722000",
      org: { id: "1325540", name: "Acme Shop" },
      body: "%%%\nReplication lag is 94 s on db-7 (threshold 60 s).\n\n@webhook-switchboard\n%%%",
    },
    severity: "high",
    state: "open",
    shows: [
      "Replication lag of the order database",
      "Replication lag is 94 s on db-7 (threshold 60 s).",
      "State: open",
      "Priority: P2",
      "Organization: Acme Shop",
      "2026-10-02T",
    ],
  },
  {
    name: "Datadog payload of the guide",
    provider: "datadog",
    signedBy: { header: "x-webhook-signature" },
    payload: {
      alert_id: "7321001",
      alert_title: "CPU of search is high",
      alert_status: "avg(last_5m):avg:system.cpu.user{service:search} > 90",
      alert_transition: "Recovered",
      alert_severity: "warning",
      body: "CPU of search is back at 41 %.",
      last_updated: "1790966722000",
      link: "https://app.example.com/monitors/7321001",
    },
    severity: "medium",
    state: "resolved",
    shows: [
      "CPU of search is high",
      "CPU of search is back at 41 %.",
      "Transition: Recovered",
      "avg(last_5m):avg:system.cpu.user{service:search} > 90",
      "https://app.example.com/monitors/7321001",
    ],
  },
];

const prometheusAlert = (fields: object = {}) => ({
  status: "firing",
  labels: { alertname: "QueueGrows", severity: "critical", service: "mailer", instance: "mq-1:9419" },
  annotations: {
    summary: "Queue mail-out grows",
    description: "12,403 messages wait, 900 more each minute.",
    runbook_url: "https://runbooks.example.com/queue",
    owner: "Messaging team",
  },
  startsAt: "2026-10-02T18:41:05.123Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: "https://prometheus.example.com/graph?g0.expr=queue_length",
  fingerprint: "9c1f6a2be0d41f33",
  ...fields,
});

const alertmanager = (fields: object) => ({
  version: "4",
  groupKey: '{}/{team="messaging"}:{alertname="QueueGrows"}',
  truncatedAlerts: 0,
  status: "firing",
  receiver: "switchboard",
  groupLabels: { alertname: "QueueGrows" },
  commonLabels: { alertname: "QueueGrows", severity: "critical", service: "mailer", instance: "mq-1:9419" },
  commonAnnotations: prometheusAlert().annotations,
  externalURL: "https://alertmanager.example.com",
  alerts: [prometheusAlert()],
  ...fields,
});

const alertmanagerTexts = [
  "QueueGrows",
  "Queue mail-out grows",
  "12,403 messages wait, 900 more each minute.",
  "service=mailer",
  "https://runbooks.example.com/queue",
  "https://prometheus.example.com/graph?g0.expr=queue_length",
  "Messaging team",
  "switchboard",
];

const grafana = {
  ...alertmanager({ commonLabels: { alertname: "Latency", service: "search", severity: "warning" } }),
  receiver: "Operations chat",
  alerts: [
    {
      ...prometheusAlert({ labels: { alertname: "Latency", service: "search", severity: "warning" } }),
      values: { A: 4.21, C: 1 },
      valueString: "[ var='A' labels={} value=4.21 ], [ var='C' labels={} value=1 ]",
      silenceURL: "https://grafana.example.com/alerting/silence/new?orgId=1",
      dashboardURL: "https://grafana.example.com/d/search?orgId=1",
      panelURL: "https://grafana.example.com/d/search?orgId=1&viewPanel=3",
    },
  ],
  orgId: 1,
  title: "[FIRING:1] Latency (search)",
  state: "alerting",
  message: "**Firing**\n\nValue: A=4.21, C=1\nLabels:\n - service = search\n",
};

const grafanaTexts = [
  "[FIRING:1] Latency (search)",
  "service = search",
  "value=4.21",
  "https://grafana.example.com/d/search?orgId=1&viewPanel=3",
  "https://grafana.example.com/alerting/silence/new?orgId=1",
  "https://runbooks.example.com/queue",
];

const prometheusPayloads: ProviderPayload[] = [
  {
    name: "Alertmanager firing",
    provider: "alertmanager",
    signedBy: "token",
    payload: alertmanager({}),
    severity: "critical",
    state: "open",
    shows: [...alertmanagerTexts, "State: open", "2026-10-02T18:41:05.123Z"],
  },
  {
    name: "Alertmanager resolved, two alerts",
    provider: "alertmanager",
    signedBy: "token",
    payload: alertmanager({
      status: "resolved",
      commonAnnotations: {},
      alerts: [
        prometheusAlert({ status: "resolved", endsAt: "2026-10-02T19:02:11Z" }),
        prometheusAlert({
          status: "resolved",
          endsAt: "2026-10-02T19:02:11Z",
          labels: { alertname: "QueueGrows", severity: "critical", instance: "mq-2:9419" },
          annotations: { summary: "Queue sms-out grows" },
          fingerprint: "77aa01",
        }),
      ],
    }),
    severity: "critical",
    state: "resolved",
    shows: ["Queue mail-out grows", "Queue sms-out grows", "mq-2:9419", "State: resolved", "2026-10-02T19:02:11.000Z"],
  },
  {
    name: "Grafana with HMAC",
    provider: "grafana",
    signedBy: { header: "x-grafana-alerting-signature" },
    payload: grafana,
    severity: "medium",
    state: "open",
    shows: grafanaTexts,
  },
  {
    name: "Grafana resolved with a token",
    provider: "grafana",
    signedBy: "token",
    payload: {
      ...grafana,
      status: "resolved",
      state: "ok",
      title: "[RESOLVED] Latency (search)",
      message: "**Resolved**\n\nLabels:\n - service = search\n",
    },
    severity: "medium",
    state: "resolved",
    shows: ["[RESOLVED] Latency (search)", "State: resolved", "service = search"],
  },
];

const cloudwatchPayloads: ProviderPayload[] = [
  {
    name: "CloudWatch alarm in an SNS notification",
    provider: "cloudwatch",
    signedBy: { header: "x-webhook-signature" },
    headers: { "x-amz-sns-message-type": "Notification", "content-type": "text/plain; charset=UTF-8" },
    payload: {
      Type: "Notification",
      MessageId: "a1c0ffee-1111-5222-8333-944444444444",
      TopicArn: "arn:aws:sns:eu-central-1:123456789012:alarms",
      Subject: 'ALARM: "orders-api-5xx" in EU (Frankfurt)',
      Message: JSON.stringify({
        AlarmName: "orders-api-5xx",
        AlarmDescription: "More than 1 % of requests to the orders API fail",
        AWSAccountId: "123456789012",
        NewStateValue: "ALARM",
        NewStateReason: "Threshold Crossed: 3 datapoints were greater than the threshold (1.0).",
        StateChangeTime: "2026-10-02T18:45:22.169+0000",
        Region: "EU (Frankfurt)",
        AlarmArn: "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:orders-api-5xx",
        OldStateValue: "OK",
        Trigger: {
          MetricName: "5XXError",
          Namespace: "AWS/ApiGateway",
          Statistic: "AVERAGE",
          Dimensions: [{ name: "ApiName", value: "orders" }],
          Period: 60,
          ComparisonOperator: "GreaterThanThreshold",
          Threshold: 1,
        },
      }),
      Timestamp: "2026-10-02T18:45:22.500Z",
      SignatureVersion: "1",
      Signature: "bm90IHZlcmlmaWVk",
      SigningCertURL: "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem",
      UnsubscribeURL: "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe",
    },
    severity: "high",
    state: "open",
    shows: [
      "orders-api-5xx",
      "More than 1 % of requests to the orders API fail",
      "Threshold Crossed: 3 datapoints",
      "AWS/ApiGateway 5XXError",
      "ApiName=orders",
      "AVERAGE GreaterThanThreshold 1",
      "123456789012",
      "#alarmsV2:alarm/orders-api-5xx",
      "Previous state: OK",
    ],
  },
];

const sentryHeader = { header: "sentry-hook-signature" };
const installation = { uuid: "a8e5d37a-696c-4c54-adb5-b3f28d64c7de" };
const sentryActor = { type: "application", id: "sentry", name: "Sentry" };

const sentryPayloads: ProviderPayload[] = [
  {
    name: "Sentry issue",
    provider: "sentry",
    signedBy: sentryHeader,
    headers: { "sentry-hook-resource": "issue", "request-id": "9d1f" },
    payload: {
      action: "created",
      installation,
      data: {
        issue: {
          id: "1170820242",
          shortId: "SHOP-9",
          title: "TypeError: cart.items is undefined",
          culprit: "checkout/summary in renderTotals",
          level: "fatal",
          status: "unresolved",
          metadata: { type: "TypeError", value: "cart.items is undefined", filename: "summary.js" },
          count: "318",
          userCount: 94,
          lastSeen: "2026-10-02T18:44:37.391000Z",
          permalink: null,
          web_url: "https://acme.example.com/issues/1170820242/",
          project: { id: "1", name: "Storefront", slug: "storefront", platform: "javascript" },
          assignedTo: { type: "user", id: "7", name: "Tomás Vega", email: "tomas@example.com" },
        },
      },
      actor: sentryActor,
    },
    severity: "critical",
    state: "open",
    shows: [
      "TypeError: cart.items is undefined",
      "checkout/summary in renderTotals",
      "SHOP-9",
      "Storefront",
      "Assigned to: Tomás Vega",
      "Events: 318",
      "Users: 94",
      "https://acme.example.com/issues/1170820242/",
    ],
  },
  {
    name: "Sentry metric alert",
    provider: "sentry",
    signedBy: sentryHeader,
    headers: { "sentry-hook-resource": "metric_alert" },
    payload: {
      action: "critical",
      installation,
      data: {
        metric_alert: {
          id: "4",
          identifier: "1",
          title: "Errors of checkout",
          projects: ["storefront"],
          status: 20,
          date_started: "2026-10-02T18:40:00Z",
          date_closed: null,
          alert_rule: { id: "7", name: "Too many errors", aggregate: "count()", query: "level:error", time_window: 10 },
        },
        description_title: "Critical: Too many errors",
        description_text: "1,204 events in the last 10 minutes\nFilter: level:error",
        web_url: "https://acme.example.com/alerts/1/",
      },
      actor: sentryActor,
    },
    severity: "critical",
    state: "open",
    shows: [
      "Critical: Too many errors",
      "1,204 events in the last 10 minutes",
      "Query: count() level:error",
      "storefront",
      "https://acme.example.com/alerts/1/",
    ],
  },
  {
    name: "Sentry issue alert",
    provider: "sentry",
    signedBy: sentryHeader,
    headers: { "sentry-hook-resource": "event_alert" },
    payload: {
      action: "triggered",
      installation,
      data: {
        event: {
          event_id: "e4874d664c3540c1a32eab185f12c5ab",
          issue_id: "1117540176",
          title: "TimeoutError: bank did not answer",
          message: "",
          metadata: { type: "TimeoutError", value: "bank did not answer" },
          culprit: "payments/authorize",
          level: "error",
          environment: "production",
          release: "shop@8.12.0",
          datetime: "2026-10-02T18:44:37.391Z",
          web_url: "https://acme.example.com/issues/1117540176/events/e4874d66/",
        },
        triggered_rule: "Payments: any timeout",
      },
      actor: sentryActor,
    },
    severity: "high",
    state: "open",
    shows: [
      "TimeoutError: bank did not answer",
      "payments/authorize",
      "Rule: Payments: any timeout",
      "Environment: production",
      "shop@8.12.0",
      "https://acme.example.com/issues/1117540176/events/e4874d66/",
    ],
  },
];

const githubHeader = { header: "x-hub-signature-256", prefix: "sha256=" };
const repository = { id: 1, full_name: "acme/shop", html_url: "https://github.example.com/acme/shop", private: true };
const sender = { login: "mira-okafor", id: 7, type: "User" };

const githubPayloads: ProviderPayload[] = [
  {
    name: "GitHub Dependabot alert",
    provider: "github",
    signedBy: githubHeader,
    headers: { "x-github-event": "dependabot_alert", "x-github-delivery": "72d3162e" },
    payload: {
      action: "created",
      alert: {
        number: 42,
        state: "open",
        dependency: { package: { ecosystem: "npm", name: "tiny-parse" }, manifest_path: "package-lock.json" },
        security_advisory: {
          ghsa_id: "GHSA-aaaa-bbbb-cccc",
          cve_id: "CVE-2026-10001",
          summary: "Remote code execution in tiny-parse",
          description: "A crafted document runs code in versions before 2.1.4.",
          severity: "critical",
        },
        html_url: "https://github.example.com/acme/shop/security/dependabot/42",
        created_at: "2026-10-02T18:45:22Z",
        updated_at: "2026-10-02T18:45:22Z",
      },
      repository,
      sender,
    },
    severity: "critical",
    state: "open",
    shows: [
      "Remote code execution in tiny-parse",
      "A crafted document runs code in versions before 2.1.4.",
      "npm tiny-parse",
      "GHSA-aaaa-bbbb-cccc, CVE-2026-10001",
      "acme/shop",
      "https://github.example.com/acme/shop/security/dependabot/42",
    ],
  },
  {
    name: "GitHub workflow run",
    provider: "github",
    signedBy: githubHeader,
    headers: { "x-github-event": "workflow_run" },
    payload: {
      action: "completed",
      workflow_run: {
        id: 9_001,
        name: "Release",
        display_title: "Release 8.12.0",
        run_number: 118,
        status: "completed",
        conclusion: "failure",
        head_branch: "main",
        html_url: "https://github.example.com/acme/shop/actions/runs/9001",
        updated_at: "2026-10-02T18:45:22Z",
      },
      repository,
      sender,
    },
    severity: "high",
    state: "open",
    shows: [
      "Workflow Release: failure",
      "Release 8.12.0",
      "#118",
      "Branch: main",
      "By: mira-okafor",
      "https://github.example.com/acme/shop/actions/runs/9001",
    ],
  },
];

const otherPayloads: ProviderPayload[] = [
  {
    name: "New Relic issue",
    provider: "new-relic",
    signedBy: "token",
    payload: {
      id: "c5faa7e6-7b54-402d-af79-f99601e00001",
      issueUrl: "https://radar.example.com/accounts/1/issues/c5faa7e6?notifier=WEBHOOK",
      title: "orders-db query result is > 1.0 for 5 minutes on 'Slow queries'",
      priority: "CRITICAL",
      impactedEntities: ["orders-db", "orders-api"],
      totalIncidents: 3,
      state: "ACKNOWLEDGED",
      trigger: "STATE_CHANGE",
      isCorrelated: true,
      createdAt: 1_790_966_000_000,
      updatedAt: 1_790_966_722_000,
      sources: ["newrelic"],
      alertPolicyNames: ["Golden signals"],
      alertConditionNames: ["Slow queries"],
      workflowName: "Database team",
      owner: "Sofia Marino",
    },
    severity: "critical",
    state: "acknowledged",
    shows: [
      "orders-db query result is > 1.0 for 5 minutes on 'Slow queries'",
      "orders-db, orders-api",
      "Golden signals",
      "Database team",
      "Assigned to: Sofia Marino",
      "Incidents: 3",
      "https://radar.example.com/accounts/1/issues/c5faa7e6?notifier=WEBHOOK",
    ],
  },
  {
    name: "generic alert by Standard Webhooks",
    provider: "custom",
    signedBy: "standard-webhooks",
    payload: {
      alert_type: "usage_anomaly",
      severity: "medium",
      description: "Exports tripled since noon.",
      triggered_at: "2026-10-02T18:45:22Z",
      affected_entities: [{ entity_type: "tenant", entity_id: "acme" }],
      metadata: { region: "eu", owner: "Data team", counts: { noon: 12, now: 37 } },
    },
    severity: "medium",
    state: null,
    shows: [
      "Exports tripled since noon.",
      "Type: usage anomaly",
      "Affected: tenant acme",
      "region: eu",
      "owner: Data team",
      '{"noon":12,"now":37}',
      "2026-10-02T18:45:22.000Z",
    ],
  },
  {
    name: "generic alert with an HMAC",
    provider: "custom",
    signedBy: { header: "x-webhook-signature" },
    payload: {
      severity: "critical",
      description: "Größe des Zwischenspeichers überschritten 🚨",
      metadata: { host: "web-3" },
    },
    severity: "critical",
    state: null,
    shows: ["Größe des Zwischenspeichers überschritten 🚨", "host: web-3", "CRITICAL"],
  },
];

/** Payloads of all adapters. */
export const providerPayloads: readonly ProviderPayload[] = [
  ...pagerdutyPayloads,
  ...datadogPayloads,
  ...prometheusPayloads,
  ...cloudwatchPayloads,
  ...sentryPayloads,
  ...githubPayloads,
  ...otherPayloads,
];
