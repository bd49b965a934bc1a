import { events } from "../api/events/event-data.ts";
import type { EventDelivery, EventFormat } from "../api/events/event-endpoints.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { now, timestamp } from "../lib/clock.ts";
import { findSetting } from "../lib/env.ts";
import { isInRanges, isPublicAddress } from "../lib/outgoing/addresses.ts";
import { OutgoingError, readBounded, requestGuarded } from "../lib/outgoing/guarded-request.ts";
import { findDelivery, updateDelivery } from "./delivery-store.ts";
import { disableGoneEndpoint, findEndpoint, type StoredEndpoint } from "./endpoint-store.ts";
import { signEvent } from "./event-secret.ts";
import { type DeliveryJob, MAX_DELAY_SECONDS, scheduleDelivery } from "./schedule-delivery.ts";

const TIMEOUT_MS = 10_000;

/** Part of a response that is read; its text is not kept. */
const MAX_RESPONSE_BYTES = 65_536;

const [minute, hour] = [60, 3_600];

/** Pauses before the next attempt in seconds, without jitter: 27 hours in total. */
const pauses = [5, 30, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 11 * hour];

/** Renders the body for a format. Chat tools get one sentence. */
function renderBody(format: EventFormat, { type, payload, event_id }: EventDelivery): string {
  if (format === "standard") return payload;
  const { data } = JSON.parse(payload) as { data: Record<string, unknown> };
  const facts = Object.entries(data).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [`${name}: ${value}`] : [],
  );
  const text = `${events[type].description}\n${facts.join("\n")}\n(${event_id})`;
  // `<`, `>` and `&` would be links and mentions: https://docs.slack.dev/messaging/formatting-message-text
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  if (format === "slack") return JSON.stringify({ text: escaped });
  const body = [{ type: "TextBlock", text, wrap: true }];
  const content = { type: "AdaptiveCard", version: "1.4", body };
  return JSON.stringify({
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }],
  });
}

/** Sends an event. @returns the status of the response @throws OutgoingError */
async function send(endpoint: StoredEndpoint, delivery: EventDelivery): Promise<number> {
  const body = renderBody(endpoint.format, delivery);
  const seconds = Math.floor(now() / 1_000);
  const { all } = await loadAppSecrets();
  const event = { id: delivery.event_id, timestamp: seconds, payload: body };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await requestGuarded(endpoint.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Switchboard/1.0",
      "webhook-id": delivery.event_id,
      "webhook-timestamp": String(seconds),
      ...(endpoint.format === "standard" && { "webhook-signature": signEvent(all, endpoint, event) }),
    },
    body,
    findRefusal: (address) =>
      isPublicAddress(address) || isInRanges(address, findSetting("TOOL_PRIVATE_RANGES"))
        ? null
        : "address_not_allowed",
    redirects: "none",
    signal,
  });
  await readBounded(response, MAX_RESPONSE_BYTES, signal, true);
  return response.status;
}

/** Returns the result of an attempt as changes of the delivery. */
async function attempt(endpoint: StoredEndpoint, delivery: EventDelivery): Promise<Partial<EventDelivery>> {
  try {
    const response_status = await send(endpoint, delivery);
    const isAccepted = response_status >= 200 && response_status < 300;
    return { response_status, error: isAccepted ? null : `status ${response_status}` };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    return { response_status: null, error: error.code };
  }
}

/**
 * Attempts a delivery if it is due, and schedules the next attempt if it fails. Concurrent messages for the same delivery
 * send the event twice at most, with the same id.
 */
export async function deliverEvent(job: DeliveryJob): Promise<void> {
  const { endpointId, deliveryId } = job;
  const scope = { tenantId: job.tenantId };
  const delivery = await findDelivery(scope, endpointId, deliveryId);
  if (delivery?.status !== "pending") return;
  const waitSeconds = Math.ceil((Date.parse(delivery.next_attempt_at ?? "") - now()) / 1_000);
  if (waitSeconds > 0) return scheduleDelivery(job, waitSeconds);
  const endpoint = await findEndpoint(scope, endpointId);
  const attempts = delivery.attempts + 1;
  const end = { attempts, next_attempt_at: null };
  if (!endpoint?.enabled) {
    const error = endpoint ? "endpoint disabled" : "endpoint deleted";
    await updateDelivery(scope, endpointId, delivery, { status: "failed", error, ...end });
    return;
  }
  const result = await attempt(endpoint, delivery);
  if (result.error === null) {
    await updateDelivery(scope, endpointId, delivery, { status: "delivered", ...result, ...end });
    return;
  }
  const pause = result.response_status === 410 ? undefined : pauses[attempts - 1];
  if (pause === undefined) {
    await updateDelivery(scope, endpointId, delivery, { status: "failed", ...result, ...end });
    if (result.response_status === 410) await disableGoneEndpoint(scope, endpointId);
    return;
  }
  const seconds = Math.ceil(pause * (1 + Math.random() / 5));
  const next_attempt_at = timestamp(now() + seconds * 1_000);
  // SQS repeats a message whose function died, and a message that comes too early is enqueued again: no attempt is lost.
  if (await updateDelivery(scope, endpointId, delivery, { ...result, attempts, next_attempt_at })) {
    await scheduleDelivery(job, Math.min(seconds, MAX_DELAY_SECONDS));
  }
}
