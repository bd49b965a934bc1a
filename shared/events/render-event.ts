import { events } from "../api/events/event-data.ts";
import type { EventDelivery, EventFormat } from "../api/events/event-endpoints.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { now } from "../lib/clock.ts";
import type { StoredEventEndpoint } from "./endpoint-store.ts";
import { signEvent } from "./event-secret.ts";

export interface EventRequest<Body = string> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  /** Returns the error in the body of a response with the status 2xx, or null. */
  readonly findError?: (response: Buffer) => string | null;
}

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

/** Returns the request that sends an event to an endpoint. */
export async function renderEvent(endpoint: StoredEventEndpoint, delivery: EventDelivery): Promise<EventRequest> {
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
