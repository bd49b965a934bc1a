/** Event in the life of one incident. */
export type LifeEvent = "open" | "acknowledge" | "resolve" | "reopen";

/** Events of one incident in the form in which a tool sends them, with invented content. */
export interface SourceEvents {
  /** Name of the source in the table. */
  readonly source: string;
  readonly severity: "low" | "medium" | "high" | "critical";
  readonly title: string;
  /** Returns the payload of an event at a time; undefined for an event that the tool does not know. */
  readonly event: (name: LifeEvent, at: Date) => Readonly<Record<string, unknown>> | undefined;
  /** False if the payload has no time. */
  readonly isTimed?: boolean;
}

/** Returns a function that finds the word for an event; null for a tool whose incidents do not open again. */
const pick =
  <Value>(open: Value, acknowledge: Value | undefined, resolve: Value | undefined, reopen: Value | null = open) =>
  (name: LifeEvent): Value | undefined =>
    ({ open, acknowledge, resolve, reopen: reopen ?? undefined })[name];

/** Returns a function that builds payloads from a word for each event, and none for an event without a word. */
const byWord =
  <Value>(word: (name: LifeEvent) => Value | undefined, build: (word: Value, at: Date, name: LifeEvent) => object) =>
  (name: LifeEvent, at: Date) => {
    const value = word(name);
    return value === undefined ? undefined : (build(value, at, name) as Record<string, unknown>);
  };

const seconds = (at: Date) => Math.floor(at.getTime() / 1_000);
const downUp = pick("DOWN", undefined, "UP");
const firing = pick("firing", undefined, "resolved");
const times = (at: Date, name: LifeEvent) => ({
  started_at: "2026-11-20T09:00:00Z",
  acknowledged_at: name === "acknowledge" ? at.toISOString() : null,
  resolved_at: name === "resolve" ? at.toISOString() : null,
  ...((name === "open" || name === "reopen") && { started_at: at.toISOString() }),
});

const prometheusGroup = (status: string, at: Date) => ({
  version: "4",
  groupKey: '{}:{alertname="Lag"}',
  status,
  receiver: "switchboard",
  groupLabels: { alertname: "Lag" },
  commonLabels: { alertname: "Lag", severity: "sev1" },
  commonAnnotations: { summary: "Replica lags" },
  alerts: [
    {
      status,
      labels: { alertname: "Lag", severity: "sev1" },
      annotations: { summary: "Replica lags" },
      startsAt: at.toISOString(),
      endsAt: status === "resolved" ? at.toISOString() : "0001-01-01T00:00:00Z",
      fingerprint: "ab12",
    },
  ],
});

const datadogTitle = (word: string) => `[P2] [${word} on {host:db-7}] Replication lag`;

export const sourceEvents: readonly SourceEvents[] = [
  {
    source: "PagerDuty",
    severity: "high",
    title: "Disk full",
    event: byWord(pick("triggered", "acknowledged", "resolved", "reopened"), (word, at, name) => ({
      event: {
        id: `e-${name}`,
        event_type: `incident.${word}`,
        occurred_at: at.toISOString(),
        data: { id: "Q1", type: "incident", title: "Disk full", urgency: "high" },
      },
    })),
  },
  {
    source: "Datadog",
    severity: "high",
    title: datadogTitle("Triggered"),
    event: byWord(pick("Triggered", undefined, "Recovered"), (word, at, name) => ({
      id: `80824363${name.length}`,
      last_updated: String(at.getTime()),
      event_type: "query_alert_monitor",
      title: datadogTitle(word),
      date: String(at.getTime()),
      org: { id: "1325540", name: "Acme" },
      body: "%%%\nLag is 94 s.\n%%%",
    })),
  },
  {
    // The payload of the guide.
    source: "Datadog",
    severity: "high",
    title: "[Triggered on {host:db-7}] CPU is high",
    event: byWord(pick("Triggered", undefined, "Recovered"), (word, at) => ({
      alert_id: "7321001",
      alert_title: `[${word} on {host:db-7}] CPU is high`,
      alert_status: "avg(last_5m) > 90",
      alert_transition: word,
      alert_severity: word === "Recovered" ? "success" : "error",
      body: "CPU",
      alert_scope: "host:db-7",
      alert_cycle_key: "",
      last_updated: String(at.getTime()),
      link: "https://app.example.com/monitors/7321001",
    })),
  },
  { source: "Alertmanager", severity: "critical", title: "Lag", event: byWord(firing, prometheusGroup) },
  {
    source: "Grafana",
    severity: "critical",
    title: "[FIRING:1] Lag",
    event: byWord(firing, (word, at) => ({
      ...prometheusGroup(word, at),
      orgId: 1,
      title: word === "firing" ? "[FIRING:1] Lag" : "[RESOLVED] Lag",
      message: "Replica lags",
    })),
  },
  {
    source: "Grafana IRM",
    severity: "high",
    title: "Lag",
    event: byWord(pick("firing", "acknowledged", "resolved"), (state, at) => ({
      event: { type: "status change", time: at.toISOString() },
      user: { username: "mira" },
      alert_group: {
        id: "I1",
        title: "Lag",
        state,
        labels: { severity: "P2" },
        permalinks: { web: "https://g.example/I1" },
      },
      alert_group_id: "I1",
      alert_payload: {},
      integration: { name: "Prometheus" },
    })),
  },
  {
    source: "CloudWatch",
    severity: "high",
    title: "api-5xx",
    event: byWord(pick("ALARM", undefined, "OK"), (NewStateValue, at) => ({
      Type: "Notification",
      MessageId: `m-${at.getTime()}`,
      TopicArn: "arn:aws:sns:eu-central-1:123456789012:alarms",
      Message: JSON.stringify({
        AlarmName: "api-5xx",
        AlarmArn: "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:api-5xx",
        NewStateValue,
        NewStateReason: "Threshold crossed",
        StateChangeTime: at.toISOString(),
      }),
    })),
  },
  {
    source: "New Relic",
    severity: "critical",
    title: "Apdex is low",
    event: byWord(pick("CREATED", "ACKNOWLEDGED", "CLOSED", "ACTIVATED"), (state, at) => ({
      id: "n-1",
      issueUrl: "https://one.example/n-1",
      title: "Apdex is low",
      priority: "CRITICAL",
      state,
      createdAt: 1_790_000_000_000,
      updatedAt: at.getTime(),
      alertPolicyNames: ["Web"],
      workflowName: "Web",
    })),
  },
  {
    source: "Azure Monitor",
    severity: "high",
    title: "CPU of web",
    event: byWord(pick("Fired", undefined, "Resolved", null), (monitorCondition, at) => ({
      schemaId: "azureMonitorCommonAlertSchema",
      data: {
        essentials: {
          alertId: "/subscriptions/s/alerts/1",
          alertRule: "CPU of web",
          severity: "Sev1",
          monitorCondition,
          firedDateTime: at.toISOString(),
          ...(monitorCondition === "Resolved" && { resolvedDateTime: at.toISOString() }),
        },
        alertContext: {},
      },
    })),
  },
  {
    source: "Google Cloud Monitoring",
    severity: "critical",
    title: "Latency",
    event: byWord(pick("open", undefined, "closed", null), (state, at) => ({
      version: "1.2",
      incident: {
        incident_id: "0.opq",
        policy_name: "Latency",
        summary: "Latency is 3 s",
        state,
        severity: "Critical",
        started_at: seconds(at),
        ended_at: state === "closed" ? seconds(at) : null,
      },
    })),
  },
  {
    source: "Dynatrace",
    severity: "critical",
    title: "Response time of checkout",
    isTimed: false,
    event: byWord(pick("OPEN", undefined, "RESOLVED"), (State) => ({
      State,
      ProblemID: "P-260411",
      ProblemTitle: "Response time of checkout",
      ProblemDetailsText: "2.3 s instead of 0.4 s",
      ProblemSeverity: "AVAILABILITY",
      ProblemURL: "https://dt.example/P-260411",
    })),
  },
  {
    source: "Zabbix",
    severity: "critical",
    title: "Disk of db-1 is full",
    event: byWord(pick("1", "1", "0"), (event_value, at, name) => {
      const [date, time] = [at.toISOString().slice(0, 10).replaceAll("-", "."), at.toISOString().slice(11, 19)];
      const isUpdate = name === "acknowledge";
      return {
        event_id: "9911",
        event_name: "Disk of db-1 is full",
        event_severity: "Disaster",
        event_value,
        event_ack_status: isUpdate ? "Yes" : "No",
        event_opdata: "98 %",
        event_date: name === "resolve" || isUpdate ? "2026.11.20" : date,
        event_time: name === "resolve" || isUpdate ? "09:00:00" : time,
        event_recovery_date: name === "resolve" ? date : "{EVENT.RECOVERY.DATE}",
        event_recovery_time: name === "resolve" ? time : "{EVENT.RECOVERY.TIME}",
        event_update_date: isUpdate ? date : "{EVENT.UPDATE.DATE}",
        event_update_time: isUpdate ? time : "{EVENT.UPDATE.TIME}",
        host_name: "db-1",
      };
    }),
  },
  {
    source: "Netdata",
    severity: "critical",
    title: "disk_space_usage",
    event: byWord(pick("critical", undefined, "clear"), (severity, at) => ({
      message: "db-1 disk space",
      alert: "disk_space_usage",
      chart: "disk_space._",
      severity,
      date: at.toISOString(),
      alert_url: "https://app.netdata.example/1",
    })),
  },
  {
    source: "Kapacitor",
    severity: "critical",
    title: "cpu:host=web-1",
    event: byWord(pick("CRITICAL", undefined, "OK"), (level, at) => ({
      id: "cpu:host=web-1",
      message: `cpu is ${level}`,
      time: at.toISOString(),
      level,
      previousLevel: "OK",
    })),
  },
  {
    source: "Splunk",
    severity: "high",
    title: "Failed logins",
    event: byWord(pick("1", undefined, undefined, "2"), (n, at) => ({
      sid: `scheduler__admin__search__${n}`,
      search_name: "Failed logins",
      app: "search",
      owner: "admin",
      results_link: "https://splunk.example/1",
      result: { _time: String(seconds(at)), count: "212", severity: "high", host: "web-1" },
    })),
  },
  {
    source: "Splunk Observability",
    severity: "critical",
    title: "CPU of web",
    event: byWord(pick("anomalous", undefined, "ok"), (status, at) => ({
      severity: "Critical",
      messageTitle: "CPU of web",
      messageBody: "CPU is 97 %",
      rule: "CPU",
      detector: "CPU of web",
      detectorUrl: "https://so.example/1",
      incidentId: "GL7dW",
      timestamp: at.toISOString(),
      status,
    })),
  },
  {
    // The payload of the guide.
    source: "Elastic",
    severity: "medium",
    title: "Errors of checkout",
    event: byWord(pick("query matched", undefined, "recovered"), (action_group, at) => ({
      rule_id: "r-1",
      rule_name: "Errors of checkout",
      alert_instance: "query matched",
      action_group,
      reason: "Document count is 120 in the last 5m",
      date: at.toISOString(),
      url: "https://kibana.example/r-1",
    })),
  },
  {
    source: "Honeycomb",
    severity: "high",
    title: "Slow checkouts",
    isTimed: false,
    event: byWord(pick("TRIGGERED", undefined, "OK"), (status) => ({
      version: "v0.1.0",
      shared_secret: "s3cret",
      name: "Slow checkouts",
      id: "h-1",
      trigger_description: "",
      trigger_url: "https://ui.honeycomb.example/t/1",
      status,
      summary: `${status}: Slow checkouts`,
      description: "P99 was 4 s",
      result_url: "https://ui.honeycomb.example/r/1",
      isTest: false,
    })),
  },
  {
    source: "Graylog",
    severity: "high",
    title: "Disk errors",
    event: byWord(pick("01A", undefined, undefined, "01B"), (id, at) => ({
      event_definition_id: "5e1b",
      event_definition_title: "Disk errors",
      event_definition_description: "",
      event: { id, timestamp: at.toISOString(), message: "sda failed", priority: 3, key: "db-1" },
      backlog: [],
    })),
  },
  {
    source: "Pingdom",
    severity: "high",
    title: "Shop",
    event: byWord(downUp, (current_state, at) => ({
      check_id: 12345,
      check_name: "Shop",
      check_type: "HTTP",
      check_params: { hostname: "shop.example.com", full_url: "https://shop.example.com/" },
      previous_state: current_state === "DOWN" ? "UP" : "DOWN",
      current_state,
      importance_level: "HIGH",
      state_changed_timestamp: seconds(at),
      long_description: "HTTP error 502",
      description: "502",
    })),
  },
  {
    source: "UptimeRobot",
    severity: "high",
    title: "Shop",
    event: byWord(pick("1", undefined, "2"), (alertType, at) => ({
      monitorID: "781",
      monitorURL: "https://shop.example.com",
      monitorFriendlyName: "Shop",
      alertType,
      alertTypeFriendlyName: alertType === "1" ? "Down" : "Up",
      alertDetails: "Connection timeout",
      alertDateTime: String(seconds(at)),
    })),
  },
  {
    source: "StatusCake",
    severity: "high",
    title: "Shop",
    isTimed: false,
    event: byWord(pick("Down", undefined, "Up"), (Status) => ({
      URL: "https://shop.example.com",
      Token: "9f86d081884c7d65",
      Name: "Shop",
      StatusCode: Status === "Up" ? "200" : "502",
      Status,
      Tags: "web",
    })),
  },
  {
    source: "Uptime Kuma",
    severity: "high",
    title: "Shop",
    event: byWord(pick(0, undefined, 1), (status, at) => ({
      heartbeat: { monitorID: 4, status, time: at.toISOString().replace("T", " ").replace("Z", ""), msg: "timeout" },
      monitor: { id: 4, name: "Shop", url: "https://shop.example.com" },
      msg: `[Shop] [${status === 0 ? "Down" : "Up"}] timeout`,
    })),
  },
  {
    source: "Better Stack",
    severity: "medium",
    title: "shop.example.com",
    event: byWord(pick("open", "acknowledge", "resolve", null), (_, at, name) => ({
      data: {
        id: "25",
        type: "incident",
        attributes: { name: "shop.example.com", cause: "Status 502", ...times(at, name) },
      },
    })),
  },
  {
    source: "Site24x7",
    severity: "critical",
    title: "Shop",
    event: byWord(downUp, (STATUS, at) => ({
      MONITORNAME: "Shop",
      MONITORTYPE: "URL",
      MONITOR_ID: "34003",
      MONITORURL: "https://shop.example.com",
      STATUS,
      INCIDENT_REASON: "Host unavailable",
      INCIDENT_TIME_ISO: at.toISOString(),
    })),
  },
  {
    source: "Freshping",
    severity: "high",
    title: "Shop",
    event: byWord(pick("Not Responding", undefined, "Available"), (check_state_name, at) => ({
      text: `Shop is ${check_state_name}`,
      webhook_event_created_on: at.toISOString(),
      webhook_event_data: {
        check_id: "77",
        check_name: "Shop",
        check_state_name,
        request_url: "https://shop.example.com",
        response_summary: "Bad gateway",
      },
    })),
  },
  {
    // The payload of the guide.
    source: "Checkly",
    severity: "high",
    title: "Login",
    event: byWord(pick("ALERT_FAILURE", undefined, "ALERT_RECOVERY"), (alert_type, at) => ({
      check_id: "c-1",
      check_name: "Login",
      alert_type,
      title: "Login has failed",
      started_at: at.toISOString(),
      link: "https://app.checkly.example/c-1",
    })),
  },
  {
    source: "Cronitor",
    severity: "high",
    title: "backup",
    isTimed: false,
    event: byWord(pick("ALERT", undefined, "RECOVERY"), (type) => ({
      id: "b3",
      monitor: "backup",
      description: "Has not run for 1 day",
      type,
      rule: "not_completed_in",
      issue_url: "https://cronitor.example/i",
      monitor_url: "https://cronitor.example/m",
    })),
  },
  {
    source: "HetrixTools",
    severity: "high",
    title: "Shop",
    event: byWord(pick("offline", undefined, "online"), (monitor_status, at) => ({
      monitor_id: "h1",
      monitor_name: "Shop",
      monitor_target: "https://shop.example.com",
      monitor_status,
      timestamp: seconds(at),
    })),
  },
  {
    source: "incident.io",
    severity: "critical",
    title: "Checkout is down",
    event: byWord(pick("triage", "learning", "closed", "active"), (category, at) => ({
      event_type: "public_incident.incident_updated_v2",
      "public_incident.incident_updated_v2": {
        id: "01FD",
        name: "Checkout is down",
        summary: "Carts fail",
        reference: "INC-7",
        permalink: "https://app.incident.example/7",
        severity: { name: "Critical", rank: 3 },
        incident_status: { category, name: category },
        updated_at: at.toISOString(),
      },
    })),
  },
  {
    source: "Rootly",
    severity: "critical",
    title: "Checkout is down",
    event: byWord(pick("started", "mitigated", "resolved"), (status, at, name) => ({
      event: { id: `r-${name}`, type: "incident.updated", issued_at: at.toISOString() },
      data: {
        id: "ro-1",
        title: "Checkout is down",
        summary: "Carts fail",
        status,
        severity: { slug: "sev0", name: "SEV0" },
        url: "https://rootly.example/1",
      },
    })),
  },
  {
    source: "FireHydrant",
    severity: "critical",
    title: "Checkout is down",
    event: byWord(pick("started", "acknowledged", "resolved"), (current_milestone, at) => ({
      event: { operation: "UPDATED", resource_type: "incident", occurred_at: at.toISOString() },
      data: {
        incident: {
          id: "fh-1",
          name: "Checkout is down",
          description: "Carts fail",
          current_milestone,
          severity: "SEV1",
          number: 8,
          incident_url: "https://fh.example/8",
        },
      },
    })),
  },
  {
    source: "Statuspage",
    severity: "critical",
    title: "API is down",
    event: byWord(pick("investigating", "monitoring", "resolved"), (status, at) => ({
      page: { id: "p1", status_description: "Outage" },
      incident: {
        id: "sp-1",
        name: "API is down",
        status,
        impact: "critical",
        shortlink: "https://stspg.example/1",
        updated_at: at.toISOString(),
        incident_updates: [{ body: `We are ${status}`, status, created_at: at.toISOString() }],
      },
    })),
  },
  {
    source: "Statuspage",
    severity: "critical",
    title: "API",
    event: byWord(pick("major_outage", undefined, "operational"), (new_status, at) => ({
      page: { id: "p1" },
      component_update: { id: "cu", created_at: at.toISOString(), new_status, old_status: "x", component_id: "cp1" },
      component: { id: "cp1", name: "API", status: new_status },
    })),
  },
  {
    source: "Jira",
    severity: "critical",
    title: "OPS-3: Disk full",
    event: byWord(pick("new", "indeterminate", "done"), (key, at) => ({
      timestamp: at.getTime(),
      webhookEvent: "jira:issue_updated",
      user: { displayName: "Mira" },
      issue: {
        id: "10003",
        key: "OPS-3",
        self: "https://acme.atlassian.example/rest/api/2/issue/10003",
        fields: {
          summary: "Disk full",
          description: "98 %",
          priority: { name: "Highest" },
          status: { name: key, statusCategory: { key } },
        },
      },
    })),
  },
  {
    source: "Linear",
    severity: "critical",
    title: "ENG-4: Disk full",
    event: byWord(pick("unstarted", "started", "completed"), (type, at) => ({
      action: "update",
      type: "Issue",
      url: "https://linear.example/ENG-4",
      webhookTimestamp: at.getTime(),
      data: {
        id: "li-1",
        identifier: "ENG-4",
        title: "Disk full",
        description: "98 %",
        priority: 1,
        priorityLabel: "Urgent",
        state: { name: type, type },
      },
    })),
  },
  {
    source: "Zendesk",
    severity: "critical",
    title: "Cannot pay",
    event: byWord(pick("OPEN", "PENDING", "SOLVED"), (status, at, name) => ({
      id: `z-${name}`,
      type: "zen:event-type:ticket.status_changed",
      time: at.toISOString(),
      zendesk_event_version: "2022-11-06",
      subject: "zen:ticket:5",
      event: {},
      detail: { id: "5", subject: "Cannot pay", description: "Card is declined", priority: "URGENT", status },
    })),
  },
  {
    source: "GitHub",
    severity: "critical",
    title: "RCE in tiny-parse",
    event: byWord(pick("created", undefined, "fixed", "reintroduced"), (action, at) => ({
      action,
      alert: {
        number: 4,
        state: "open",
        security_advisory: { summary: "RCE in tiny-parse", severity: "critical" },
        updated_at: at.toISOString(),
      },
      repository: { full_name: "acme/shop" },
      sender: { login: "mira" },
    })),
  },
  {
    source: "GitLab",
    severity: "critical",
    title: "Disk full",
    event: byWord(pick("open", undefined, "close", "reopen"), (action, at) => ({
      object_kind: "issue",
      event_type: "incident",
      user: { name: "Mira" },
      project: { path_with_namespace: "acme/shop", web_url: "https://gitlab.example/acme/shop" },
      object_attributes: {
        id: 301,
        iid: 23,
        title: "Disk full",
        description: "98 %",
        severity: "critical",
        action,
        state: action === "close" ? "closed" : "opened",
        updated_at: at.toISOString().replace("T", " ").replace(".000Z", " UTC"),
        url: "https://gitlab.example/acme/shop/-/issues/23",
      },
    })),
  },
  {
    source: "GitLab",
    severity: "high",
    title: "Job test of acme / shop: failed",
    event: byWord(pick("failed", undefined, "success"), (build_status, at) => ({
      object_kind: "build",
      build_id: 77,
      build_name: "test",
      build_stage: "test",
      build_status,
      build_finished_at: at.toISOString(),
      build_failure_reason: "script_failure",
      project_name: "acme / shop",
    })),
  },
  {
    source: "Sentry",
    severity: "critical",
    title: "TypeError",
    event: byWord(pick("created", "assigned", "resolved", "unresolved"), (action, at) => ({
      action,
      installation: { uuid: "a" },
      data: { issue: { id: "9", title: "TypeError", level: "fatal", culprit: "cart", lastSeen: at.toISOString() } },
      actor: { name: "Sentry" },
    })),
  },
  {
    source: "Rollbar",
    severity: "critical",
    title: "TypeError in cart",
    event: byWord(pick("new_item", undefined, "resolved_item", "reopened_item"), (event_name, at) => ({
      event_name,
      data: {
        item: {
          id: 272,
          title: "TypeError in cart",
          level: 50,
          counter: 3,
          environment: "production",
          last_occurrence_timestamp: seconds(at),
        },
      },
    })),
  },
  {
    source: "Bugsnag",
    severity: "high",
    title: "TypeError: cart is undefined",
    event: byWord(pick("open", "snoozed", "fixed"), (status, at) => ({
      project: { name: "Shop" },
      trigger: { type: "errorStateManualChange", message: "Status changed" },
      error: {
        errorId: "b-1",
        exceptionClass: "TypeError",
        message: "cart is undefined",
        severity: "error",
        status,
        receivedAt: at.toISOString(),
        url: "https://bugsnag.example/b-1",
      },
    })),
  },
  {
    source: "Honeybadger",
    severity: "high",
    title: "TypeError: cart is undefined",
    event: byWord(pick("occurred", "assigned", "resolved", "unresolved"), (event, at) => ({
      event,
      message: `[Shop] ${event}`,
      project: { name: "Shop" },
      fault: {
        id: 81,
        klass: "TypeError",
        message: "cart is undefined",
        environment: "production",
        last_notice_at: at.toISOString(),
        url: "https://hb.example/81",
      },
    })),
  },
  {
    source: "Amazon EventBridge",
    severity: "high",
    title: "Unusual API call",
    event: byWord(pick("ACTIVE", undefined, undefined), (status, at, name) => ({
      id: `eb-${name}`,
      version: "0",
      "detail-type": "GuardDuty Finding",
      source: "aws.guardduty",
      time: at.toISOString(),
      region: "eu-central-1",
      detail: { id: "gd-1", title: "Unusual API call", description: "An API was called", severity: 8, status },
    })),
  },
];
