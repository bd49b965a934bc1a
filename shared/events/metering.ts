import type { EventDelivery } from "../api/events/event-endpoints.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { env } from "../lib/env.ts";
import { loadSecret } from "../lib/secrets.ts";
import { findTenant } from "../tenancy/tenant-store.ts";
import type { EventRequest } from "./render-event.ts";

/** Fields of the event `usage.settled` that are sent. */
interface SettledUsage {
  readonly total_tokens: number;
  readonly requests: number;
  readonly cost_usd: number | null;
}

/** Returns true if the usage of all tenants is sent to a metering service. */
export const isMetered = () => !["off", "csv"].includes(env("METERING_FORMAT").METERING_FORMAT);

/** Values that can be sent to Stripe, which accepts whole numbers only. */
const values: Readonly<Record<string, (usage: SettledUsage) => number>> = {
  tokens: ({ total_tokens }) => total_tokens,
  requests: ({ requests }) => requests,
  micro_usd: ({ cost_usd }) => Math.round((cost_usd ?? 0) * 1_000_000),
};

/**
 * Returns the request that sends usage to the deployment's metering service. Its id is the same in all attempts, so
 * that the service counts it once.
 * @returns null if the amount is zero, or an error if the tenant is not a customer of the service
 * @see https://docs.stripe.com/api/billing/meter-event/create
 * @see https://openmeter.io/docs/concepts/usage-events
 */
export async function renderUsage(
  scope: TenantScope,
  { event_id, payload }: EventDelivery,
): Promise<EventRequest | { readonly error: string } | null> {
  const { METERING_FORMAT, METERING_URL, METERING_KEY, METERING_EVENT, METERING_VALUE, STAGE } = env(
    "METERING_FORMAT",
    "METERING_URL",
    "METERING_KEY",
    "METERING_EVENT",
    "METERING_VALUE",
    "STAGE",
  );
  if (METERING_URL === "") return { error: "no metering service" };
  const { timestamp: time, data } = JSON.parse(payload) as { timestamp: string; data: SettledUsage };
  const { billing_id } = (await findTenant(scope)) ?? { billing_id: null };
  const base = METERING_URL.replace(/\/$/, "");
  const authorization = `Bearer ${await loadSecret(METERING_KEY)}`;
  if (METERING_FORMAT === "openmeter") {
    const subject = billing_id ?? scope.tenantId;
    const source = `switchboard/${STAGE}`;
    const body = { specversion: "1.0", type: METERING_EVENT, id: event_id, source, subject, time, data };
    const headers = { "content-type": "application/cloudevents+json", authorization };
    return { url: `${base}/api/v1/events`, headers, body: JSON.stringify(body) };
  }
  const value = values[METERING_VALUE]?.(data) ?? 0;
  if (value === 0) return null;
  if (billing_id === null) return { error: "tenant without billing_id" };
  const body = new URLSearchParams({
    event_name: METERING_EVENT,
    identifier: event_id,
    timestamp: String(Math.floor(Date.parse(time) / 1_000)),
    "payload[stripe_customer_id]": billing_id,
    "payload[value]": String(value),
  });
  const headers = { "content-type": "application/x-www-form-urlencoded", authorization };
  return { url: `${base}/v1/billing/meter_events`, headers, body: body.toString() };
}
