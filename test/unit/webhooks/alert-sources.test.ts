import { expect, it } from "vitest";
import {
  alertSources,
  findEventKey,
  findIgnoredFields,
  findSource,
  normalizeAlert,
} from "#shared/webhooks/adapters/adapters.ts";
import { type LifeEvent, sourceEvents } from "#test/support/webhooks/source-events.ts";

const defaults = { nowMs: Date.UTC(2026, 10, 21), newAlertId: "new-id" };
const events: readonly LifeEvent[] = ["open", "acknowledge", "resolve", "reopen"];
const states = { open: "open", acknowledge: "acknowledged", resolve: "resolved", reopen: "open" };
const timeOf = (name: LifeEvent) => new Date(Date.UTC(2026, 10, 20, 10, events.indexOf(name) * 5));

it("table of alert sources has sample events for every tool", () => {
  const names = alertSources.map(({ name }) => name).filter((name) => name !== "");
  expect(new Set(sourceEvents.map(({ source }) => source))).toEqual(new Set(names));
});

it.each(sourceEvents.map((sample, n) => [`${sample.source} (${n})`, sample] as const))(
  "events of one incident of %s have one incident, their states, and a key that repeats only for the same event",
  (_, { source, severity, title, event, isTimed = true }) => {
    const alerts = events.flatMap((name) => {
      const payload = event(name, timeOf(name));
      if (!payload) return [];
      const found = findSource(payload, {});
      expect(found).toMatchObject({ source: { name: source }, guessedPaths: null });
      return [{ name, payload, ...normalizeAlert(found, payload, defaults) }];
    });
    const incidents = new Set(alerts.map(({ incident }) => incident));
    expect([incidents.size, incidents.has(null)]).toEqual([1, false]);
    const first = alerts[0]?.alert;
    expect([first?.severity, first?.title ?? first?.description]).toEqual([severity, title]);
    for (const { name, payload, alert, isTimed: hasTime } of alerts) {
      if (alert.state !== null) expect(alert.state).toBe(states[name]);
      expect(hasTime).toBe(isTimed);
      if (isTimed) expect(alert.triggered_at).toBe(timeOf(name).toISOString());
      expect(alert.description).not.toBe("(no description)");
      expect(JSON.stringify(alert)).not.toMatch(/s3cret|9f86d081884c7d65/);
      expect(findEventKey(payload)).toBe(findEventKey(structuredClone(payload)));
    }
    const keys = alerts.map(({ payload }) => findEventKey(payload) ?? JSON.stringify(payload));
    // Without times, a reopened incident looks like the first event; the state of the incident tells them apart.
    expect(new Set(keys).size).toBe(isTimed ? keys.length : new Set(alerts.map(({ alert }) => alert.state)).size);
  },
);

it.each([
  ["P1", "critical"],
  ["sev1", "critical"],
  ["SEV-2", "high"],
  ["SEV 1 – Shop is down", "critical"],
  ["P2: degraded", "high"],
  ["P10", "medium"],
  ["page", "critical"],
  ["error", "high"],
  ["warning", "medium"],
  ["info", "low"],
])("severity label %s of Alertmanager is %s", (label, severity) => {
  const payload = { status: "firing", alerts: [{ labels: { alertname: "Lag", severity: label } }] };
  expect(normalizeAlert(findSource(payload, {}), payload, defaults).alert.severity).toBe(severity);
});

it.each([
  [{ ticket: { subject: "Drucker brennt", prio: "hoch", status: "offline", ticket_nr: 5 } }, "high", "open"],
  [{ 事件: { title: "磁盘已满", level: "紧急", status: "firing", alert_id: "d-1" } }, "critical", "open"],
  [
    { alerte: { name: "Disque", message: "Disque plein", severity: "critique", state: "closed", id: 4 } },
    "critical",
    "resolved",
  ],
  [{ items: [{ title: "ディスク", description: "いっぱいです", severity: "エラー", state: "alert" }] }, "high", "open"],
  [{ alarma: { titulo: "x", summary: "Disco lleno", priority: "crítico", status: "down" } }, "critical", "open"],
  [{ событие: { message: "Диск заполнен", severity: "критический", state: "ok" } }, "critical", "resolved"],
  [{ data: { alert: { headline: "القرص ممتلئ", severity: "sev-1", state: "triggered" } } }, "critical", "open"],
  [{ event: "check.down", check: { monitorUuid: "m-1", url: "https://a.example", severity: "high" } }, "high", "open"],
  [
    { notification_event: "monitor_up", monitor_id: 3, response_message: "Fine again", level: "info" },
    "low",
    "resolved",
  ],
  [{ event: "uptime.up", trigger: "up", name: "Front page", priority: "P3" }, "medium", "resolved"],
  [{ eventType: "uptime-check-failed", monitor: { name: "Shop", severity: "warning" } }, "medium", "open"],
  [{ event_type: "INCIDENT_OPEN", event_data: { title: "API is down", severity: "major" } }, "high", "open"],
  [{ check: { status: "successful", failure_reason: "", text: "Seen", level: "minor" } }, "low", "resolved"],
  [{ event: "check.not_ok", message: "Seen", level: "minor" }, "low", null],
])("alert of an unknown tool is guessed by usual names: %j", (payload, severity, state) => {
  const { alert, guessedPaths } = normalizeAlert(findSource(payload, {}), payload, defaults);
  expect(alert).toMatchObject({ provider: "custom", severity, state });
  expect(alert.description.length).toBeGreaterThan(3);
  expect(guessedPaths).not.toBeNull();
});

const read = (payload: Record<string, unknown>, paths: Parameters<typeof findSource>[2] = null) =>
  normalizeAlert(findSource(payload, {}, paths), payload, defaults).alert;

it.each(["incident.workflow.completed", "incident.workflow.started", "service.created", "incident.escalated"])(
  "event %s of PagerDuty neither opens nor resolves an incident",
  (event_type) => {
    const data = { id: "W1", type: "incident_workflow_instance", incident: { id: "P1" }, summary: "Page the owner" };
    expect(read({ event: { id: "e", event_type, occurred_at: "2026-11-20T10:00:00Z", data } }).state).toBeNull();
  },
);

it("words of a channel for states come before those of the tool, which remain", () => {
  const paths = { states: { resolved: ["2"], acknowledged: ["paused"] } };
  const stateOf = (status: number | string) =>
    read({ heartbeat: { status }, monitor: { id: 1, name: "Shop" }, msg: "Seen" }, paths).state;
  expect([0, 1, 2, "paused"].map(stateOf)).toEqual(["open", "resolved", "resolved", "acknowledged"]);
});

it("alert shows its tool and the source that the tool names", () => {
  const event = { id: "e", message: "Disk full", priority: 3, source: "web-1", timestamp: "2026-11-20T10:00:00Z" };
  const payload = { event_definition_id: "d", event_definition_title: "Disk", event };
  expect(read(payload).details).toMatchObject({ Source: "Graylog", Host: "web-1" });
  expect(read({ ...payload, event: { ...event, source: "" } }).details.Source).toBe("Graylog");
});

it("object of an event of incident.io is not among the ignored fields", () => {
  const type = "public_incident.incident_created_v2";
  const payload = { event_type: type, [type]: { id: "01", name: "Shop is down" }, other: 1 };
  expect(findIgnoredFields(findSource(payload, {}), payload)).toEqual(["other"]);
});
