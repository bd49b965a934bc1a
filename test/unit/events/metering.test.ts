import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { EventDelivery } from "#shared/api/events/event-endpoints.ts";
import { renderUsage } from "#shared/events/metering.ts";
import { createTenant } from "#shared/tenancy/tenant-store.ts";
import { setFunctionEnvironment } from "#test/support/handler-events.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const properties = { name: null, plan: null, limits: {}, budgets: [] };
const usage = { reply_id: "m", requests: 1, total_tokens: 1_234, cost_usd: 0.0125, model: "large" };
const time = "2026-01-01T00:00:00.000Z";
const deliveryOf = (fields: object = {}) => {
  const payload = JSON.stringify({ type: "usage.settled", timestamp: time, data: { ...usage, ...fields } });
  return { event_id: "evt_1", payload } as EventDelivery;
};
const [customer, other] = [{ tenantId: "acme" }, { tenantId: "harbor" }];
let table: MeteredTable;

beforeAll(async () => {
  setFunctionEnvironment();
  table = await startMeteredTable();
  await createTenant(customer, { ...properties, billing_id: "cus_1" });
  await createTenant(other, { ...properties, billing_id: null });
});

beforeEach(() => {
  const settings = { METERING_URL: "https://meter.example/", METERING_KEY: "k", METERING_EVENT: "answers" };
  Object.assign(process.env, { ...settings, METERING_FORMAT: "stripe", METERING_VALUE: "tokens" });
});

afterAll(() => table?.stop());

it.each([
  ["tokens", "1234"],
  ["requests", "1"],
  ["micro_usd", "12500"],
])("renderUsage() renders %s for Stripe as a whole number", async (unit, value) => {
  process.env.METERING_VALUE = unit;
  const request = await renderUsage(customer, deliveryOf());
  if (!request || "error" in request) throw new Error("no request");
  expect(request.url).toBe("https://meter.example/v1/billing/meter_events");
  expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
    event_name: "answers",
    identifier: "evt_1",
    timestamp: "1767225600",
    "payload[stripe_customer_id]": "cus_1",
    "payload[value]": value,
  });
});

it("renderUsage() returns nothing for Stripe if the amount is zero, and an error if the tenant has no customer id", async () => {
  expect(await renderUsage(customer, deliveryOf({ total_tokens: 0 }))).toBeNull();
  expect(await renderUsage(other, deliveryOf())).toEqual({ error: "tenant without billing_id" });
});

it("renderUsage() returns an error for pending usage when the metering service was removed from the deployment", async () => {
  Object.assign(process.env, { METERING_FORMAT: "csv", METERING_URL: "" });
  expect(await renderUsage(customer, deliveryOf())).toEqual({ error: "no metering service" });
});

it("renderUsage() sends all amounts to OpenMeter, for the customer's id or the tenant's id", async () => {
  process.env.METERING_FORMAT = "openmeter";
  const requests = [await renderUsage(customer, deliveryOf()), await renderUsage(other, deliveryOf())];
  const bodies = requests.map((request) => request && "body" in request && JSON.parse(request.body));
  const event = { specversion: "1.0", type: "answers", id: "evt_1", source: "switchboard/local", time, data: usage };
  expect(bodies).toEqual([
    { ...event, subject: "cus_1" },
    { ...event, subject: "harbor" },
  ]);
  expect(requests[0]).toMatchObject({
    url: "https://meter.example/api/v1/events",
    headers: { "content-type": "application/cloudevents+json", authorization: "Bearer k" },
  });
});
