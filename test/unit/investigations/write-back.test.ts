import { expect, it } from "vitest";
import type { IncidentAction, WriteBackProvider } from "../../../shared/api/webhooks/write-back.ts";
import { markOf } from "../../../shared/investigations/updates/provider.ts";
import { providers } from "../../../shared/investigations/updates/providers.ts";
import { findSource, normalizeAlert } from "../../../shared/webhooks/adapters/adapters.ts";
import type { Alert, AlertPayload } from "../../../shared/webhooks/adapters/types.ts";

type Call = readonly [method: string, path: string, body?: unknown];

const settings = {
  from: "a@example.com",
  repository: "acme/shop",
  stack_url: null,
  silence_hours: 2,
  secret: "s3cret",
};
const at = "2026-11-25T10:00:00.000Z";
const update = {
  id: "u-1",
  investigation_id: "i-1",
  requested_by: "ann",
  created_at: at,
};
const alertOf = (fields: Partial<Alert>): Alert => ({
  provider: "custom",
  severity: "high",
  title: "Errors",
  description: "Errors",
  alert_id: "A1",
  triggered_at: "2026-11-25T09:00:00.000Z",
  state: "open",
  is_test: false,
  details: {},
  link: null,
  metadata: {},
  ...fields,
});

/** Writes an update to a stub that answers reads, and returns the requests that changed something. */
async function write(
  name: WriteBackProvider,
  action: IncidentAction,
  alert: Alert,
  {
    text = action === "note" ? "It was DNS" : null,
    reads = null as unknown,
    isRepeated = false,
  }: { text?: string | null; reads?: unknown; isRepeated?: boolean } = {},
): Promise<Call[]> {
  const calls: Call[] = [];
  const target = providers[name].findTarget(alert, settings);
  if (!target) throw new Error("the alert has no target");
  const call = async (...[method, path, body]: Call) => {
    if (method === "GET") return reads;
    calls.push(body === undefined ? [method, path] : [method, path, body]);
    return null;
  };
  const place = { ...target, at: alert.triggered_at };
  await providers[name].write(call as never, place, { ...update, action, text, isRepeated }, settings);
  return calls;
}

const pagerdutyAlert = alertOf({ provider: "pagerduty", metadata: { incident_id: "Q1ABC", incident_key: "db-1" } });
const irmAlert = alertOf({ alert_id: "I68T24C13IFW1" });
const githubAlert = alertOf({ provider: "github", link: "https://github.com/Acme/shop/issues/7#issuecomment-1" });
const labels = { alertname: "HighErrorRate", service: "checkout" };
const alertmanagerAlert = alertOf({ provider: "alertmanager", metadata: { labels, group: { cluster: "eu" } } });
const note = "It was DNS\n\n(ann, Switchboard u-1)";

it("write-back of incidents sends the requests that PagerDuty documents", async () => {
  const incident = (fields: object) => [
    "PUT",
    "/incidents/Q1ABC",
    { incident: { type: "incident_reference", ...fields } },
  ];
  expect(await write("pagerduty", "acknowledge", pagerdutyAlert)).toEqual([incident({ status: "acknowledged" })]);
  expect(await write("pagerduty", "resolve", pagerdutyAlert, { text: "Fixed" })).toEqual([
    incident({ status: "resolved", resolution: "Fixed" }),
  ]);
  expect(await write("pagerduty", "note", pagerdutyAlert)).toEqual([
    ["POST", "/incidents/Q1ABC/notes", { note: { content: note } }],
  ]);
  expect(providers.pagerduty.headersOf("k", settings)).toMatchObject({
    authorization: "Token token=k",
    from: "a@example.com",
  });
  expect(await write("pagerduty_events", "resolve", pagerdutyAlert)).toEqual([
    ["POST", "/v2/enqueue", { routing_key: "s3cret", event_action: "resolve", dedup_key: "db-1" }],
  ]);
});

it("write-back of incidents sends the requests that Grafana documents", async () => {
  const panel = alertOf({ provider: "grafana", link: "https://g.example/d/abc-1/shop?viewPanel=2" });
  expect(await write("grafana", "resolve", panel)).toEqual([
    [
      "POST",
      "/api/annotations",
      {
        time: Date.parse(panel.triggered_at),
        timeEnd: Date.parse(at),
        dashboardUID: "abc-1",
        tags: ["switchboard", "resolve", "Switchboard u-1"],
        text: "Resolved: Errors\n\n(ann, Switchboard u-1)",
      },
    ],
  ]);
  expect(await write("grafana_irm", "acknowledge", irmAlert)).toEqual([
    ["POST", "/api/v1/alert_groups/I68T24C13IFW1/acknowledge"],
  ]);
  expect(await write("grafana_irm", "note", irmAlert)).toEqual([
    ["POST", "/api/v1/resolution_notes/", { alert_group_id: "I68T24C13IFW1", text: note }],
  ]);
});

it("write-back of incidents silences exactly the labels of the alerts in Alertmanager, and ends its own silences only", async () => {
  const equal = (name: string, value: string) => ({ name, value, isRegex: false, isEqual: true });
  expect(await write("alertmanager", "acknowledge", alertmanagerAlert)).toEqual([
    [
      "POST",
      "/api/v2/silences",
      {
        matchers: [equal("cluster", "eu"), equal("alertname", "HighErrorRate"), equal("service", "checkout")],
        startsAt: at,
        endsAt: "2026-11-25T12:00:00.000Z",
        createdBy: "Switchboard",
        comment: "Acknowledged, investigation i-1\n\n(ann, Switchboard u-1)",
      },
    ],
  ]);
  const silences = [
    { id: "s1", comment: "Acknowledged, investigation i-1", status: { state: "active" } },
    { id: "s2", comment: "Acknowledged, investigation i-1", status: { state: "expired" } },
    { id: "s3", comment: "maintenance", status: { state: "active" } },
  ];
  expect(await write("alertmanager", "resolve", alertmanagerAlert, { reads: silences })).toEqual([
    ["DELETE", "/api/v2/silence/s1"],
  ]);
});

it("write-back of incidents comments and closes issues of one repository of GitHub", async () => {
  expect(await write("github", "resolve", githubAlert, { text: "Fixed" })).toEqual([
    ["POST", "/repos/acme/shop/issues/7/comments", { body: "Fixed\n\n(ann, Switchboard u-1)" }],
    ["PATCH", "/repos/acme/shop/issues/7", { state: "closed", state_reason: "completed" }],
  ]);
  const other = alertOf({ provider: "github", link: "https://github.com/acme/secrets/issues/7" });
  expect(providers.github.findTarget(other, settings)).toBeNull();
});

it.each([
  ["pagerduty", "note", pagerdutyAlert, { notes: [{ content: `x ${markOf(update)}` }] }, []],
  ["grafana", "note", alertOf({}), [{ id: 1 }], []],
  ["grafana_irm", "note", irmAlert, { results: [{ text: markOf(update) }] }, []],
  ["grafana_irm", "acknowledge", irmAlert, { state: "acknowledged" }, []],
  ["alertmanager", "acknowledge", alertmanagerAlert, [{ id: "s1", comment: markOf(update) }], []],
  ["github", "resolve", githubAlert, [{ body: markOf(update) }], ["PATCH"]],
] as const)(
  "write-back of incidents %s does not repeat a %s that an earlier attempt has written",
  async (name, action, alert, reads, rest) => {
    const text = action === "resolve" ? "Fixed" : undefined;
    const first = await write(name, action, alert, { ...(text && { text }) });
    const again = await write(name, action, alert, { reads, isRepeated: true, ...(text && { text }) });
    expect(first.map(([method]) => method)).toEqual(["POST", ...rest]);
    expect(again.map(([method]) => method)).toEqual(rest);
    const notWritten = await write(name, action, alert, { isRepeated: true, ...(text && { text }) });
    expect(notWritten).toEqual(first);
  },
);

it("write-back of incidents finds its target in alerts that the adapters have parsed, and refuses ids that would change the path", () => {
  const defaults = { nowMs: 0, newAlertId: "" };
  const data = { id: "Q9XYZ", type: "incident", incident_key: "key-1", title: "Down", status: "triggered" };
  const normalize = (payload: AlertPayload) => normalizeAlert(findSource(payload, {}), payload, defaults).alert;
  const incident = normalize({ event: { id: "e", event_type: "incident.triggered", data } });
  expect(providers.pagerduty.findTarget(incident, settings)).toEqual({ id: "Q9XYZ" });
  expect(providers.pagerduty_events.findTarget(incident, settings)).toEqual({ id: "key-1" });
  const issue = { number: 3, title: "Broken", html_url: "https://github.com/acme/shop/issues/3", state: "open" };
  const opened = normalize({ action: "opened", issue, repository: { full_name: "acme/shop" } });
  expect(providers.github.findTarget(opened, settings)).toEqual({ id: "acme/shop#3" });
  const firing = normalize({ status: "firing", commonLabels: labels, alerts: [{ labels }] });
  expect(providers.alertmanager.findTarget(firing, settings)).toMatchObject({ labels });
  const hostile = alertOf({ provider: "pagerduty", metadata: { incident_id: "Q1/../../users" } });
  expect(providers.pagerduty.findTarget(hostile, settings)).toBeNull();
  expect(providers.grafana_irm.findTarget(alertOf({ alert_id: "../x" }), settings)).toBeNull();
});
