import { events } from "../api/events/event-data.ts";
import type { EventDelivery, EventFormat } from "../api/events/event-endpoints.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import type { Email } from "../lib/aws/ses.ts";
import { now } from "../lib/clock.ts";
import { openRoutingKey, toMailAddress } from "./check-target.ts";
import type { StoredEventEndpoint } from "./endpoint-store.ts";
import { signEvent } from "./event-secret.ts";
import { renderPagerduty } from "./render-pagerduty.ts";

export interface EventRequest<Body = string> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Returns the error in the body of a response with the status 2xx, or null. */
  readonly findError?: (response: Buffer) => string | null;
}

export type EventMail = Omit<Email, "from">;

/** Returns a description of an event for people, with its text fields. */
function renderText({ type, payload, event_id }: EventDelivery): string {
  const { data } = JSON.parse(payload) as { data: Record<string, unknown> };
  const facts = Object.entries(data).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" ? [`${name}: ${value}`] : [],
  );
  return `${events[type].description}\n${facts.join("\n")}\n(${event_id})`;
}

/** Returns the request body for a format. */
function renderBody(format: EventFormat, delivery: EventDelivery): string {
  if (format === "standard") return delivery.payload;
  const text = renderText(delivery);
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

/** Returns the request or e-mail that sends an event to an endpoint, or null if the event must not be sent there. */
export async function renderEvent(
  endpoint: StoredEventEndpoint,
  delivery: EventDelivery,
): Promise<EventRequest | EventMail | null> {
  if (endpoint.format === "email") {
    const subject = `Switchboard: ${events[delivery.type].description}`;
    return { to: toMailAddress(endpoint.url), subject, text: renderText(delivery) };
  }
  if (endpoint.format === "pagerduty") {
    const event = renderPagerduty(delivery, await openRoutingKey(endpoint));
    return event === null ? null : { url: endpoint.url, headers: { "content-type": "application/json" }, body: event };
  }
  const body = renderBody(endpoint.format, delivery);
  const seconds = Math.floor(now() / 1_000);
  const { all } = await loadAppSecrets();
  const event = { id: delivery.event_id, timestamp: seconds, payload: body };
  return {
    url: endpoint.url,
    headers: {
      "content-type": "application/json",
      "webhook-id": delivery.event_id,
      "webhook-timestamp": String(seconds),
      ...(endpoint.format === "standard" && { "webhook-signature": signEvent(all, endpoint, event) }),
    },
    body,
  };
}
