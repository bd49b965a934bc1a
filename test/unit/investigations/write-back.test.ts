import { expect, it } from "vitest";
import type { IncidentAction, WriteBackProvider } from "../../../shared/api/webhooks/write-back.ts";
import { markOf } from "../../../shared/investigations/updates/provider.ts";
import { providers } from "../../../shared/investigations/updates/providers.ts";
import { findSource, normalizeAlert } from "../../../shared/webhooks/adapters/adapters.ts";
import type { Alert, AlertPayload } from "../../../shared/webhooks/adapters/types.ts";

type Call = readonly [method: string, path: string, body?: unknown];

const update = { id: "u-1", requested_by: "ann" };
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
  const target = providers[name].findTarget(alert);
  if (!target) throw new Error("the alert has no target");
  const call = async (...[method, path, body]: Call) => {
    if (method === "GET") return reads;
    calls.push(body === undefined ? [method, path] : [method, path, body]);
    return null;
  };
  await providers[name].write(call as never, { ...update, target, action, text, isRepeated }, "s3cret");
  return calls;
}

const pagerdutyAlert = alertOf({ provider: "pagerduty", metadata: { incident_id: "Q1ABC", incident_key: "db-1" } });
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
  expect(providers.pagerduty.headersOf("k", { from: "a@example.com" })).toMatchObject({
    authorization: "Token token=k",
    from: "a@example.com",
  });
  expect(await write("pagerduty_events", "resolve", pagerdutyAlert)).toEqual([
    ["POST", "/v2/enqueue", { routing_key: "s3cret", event_action: "resolve", dedup_key: "db-1" }],
  ]);
});

it("write-back of incidents does not repeat a note that an earlier attempt has written", async () => {
  const first = await write("pagerduty", "note", pagerdutyAlert);
  const reads = { notes: [{ content: `x ${markOf(update)}` }] };
  expect(await write("pagerduty", "note", pagerdutyAlert, { reads, isRepeated: true })).toEqual([]);
  expect(await write("pagerduty", "note", pagerdutyAlert, { isRepeated: true })).toEqual(first);
});

it("write-back of incidents finds its target in alerts that the adapters have parsed, and refuses ids that would change the path", () => {
  const defaults = { nowMs: 0, newAlertId: "" };
  const data = { id: "Q9XYZ", type: "incident", incident_key: "key-1", title: "Down", status: "triggered" };
  const normalize = (payload: AlertPayload) => normalizeAlert(findSource(payload, {}), payload, defaults).alert;
  const incident = normalize({ event: { id: "e", event_type: "incident.triggered", data } });
  expect(providers.pagerduty.findTarget(incident)).toBe("Q9XYZ");
  expect(providers.pagerduty_events.findTarget(incident)).toBe("key-1");
  const hostile = alertOf({ provider: "pagerduty", metadata: { incident_id: "Q1/../../users" } });
  expect(providers.pagerduty.findTarget(hostile)).toBeNull();
});
