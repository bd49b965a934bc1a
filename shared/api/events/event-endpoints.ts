import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, HttpUrl, Id, IdParams, Integer, Limit, lineOf, pageOf, Timestamp } from "../fields.ts";
import { EventType, events } from "./event-data.ts";

/**
 * Form in which events are sent: Standard Webhooks, the text of an incoming webhook of a chat tool,
 * or the trace of an answer by OpenTelemetry's protocol.
 */
export const EventFormat = v.picklist(["standard", "slack", "teams", "otlp"]);
export type EventFormat = v.InferOutput<typeof EventFormat>;

const Types = v.pipe(
  v.array(EventType),
  v.minLength(1, "must name at least one type"),
  v.maxLength(Object.keys(events).length),
  v.transform((types) => [...new Set(types)]),
);

/** Text in the form of `OTEL_EXPORTER_OTLP_HEADERS`, which the documentation of back ends shows. */
const Headers = v.pipe(
  v.string(),
  v.maxLength(4_000, "must have at most 4,000 characters"),
  v.regex(
    /^(?:(?:^|, ?)[\w.-]+=(?:[ -$&-+\--~]|%[2-6][\dA-Fa-f]|%7[\dA-Ea-e])+)+$/,
    "must be name=value pairs, separated by commas, with URL-encoded values",
  ),
  v.description(
    "Headers for the collector, with the format `otlp`: `name=value` pairs, separated by commas, values URL-encoded. No response contains them.",
  ),
  v.examples(["authorization=Bearer%20example"]),
);

const IncludeContent = describe(
  v.boolean(),
  "With the format `otlp`, adds questions, queries and answers, without secrets and personal data in known formats.",
);

/** Maximum number of endpoints of a tenant: each event is sent to all that name its type. */
export const MAX_EVENT_ENDPOINTS = 20;

/** Address that events are sent to. */
export const EventEndpoint = v.object({
  id: Id,
  url: v.string(),
  types: v.array(EventType),
  format: EventFormat,
  include_content: v.optional(IncludeContent, false),
  description: v.nullable(v.string()),
  enabled: v.boolean(),
  disabled_reason: describe(
    v.nullable(v.string()),
    "The reason for which the service disabled the endpoint: `gone` after a response with 410.",
  ),
  public_key: describe(
    v.nullable(v.string()),
    "The public key of the signatures `v1a`, `whpk_` and Base64; null until the first rotation of an older one.",
  ),
  previous_secret_valid_until: v.nullable(Timestamp),
  created_at: Timestamp,
});
export type EventEndpoint = v.InferOutput<typeof EventEndpoint>;

const WithSecret = v.object({
  ...EventEndpoint.entries,
  secret: describe(v.string(), "The signing secret, `whsec_` and Base64. No other response contains it."),
});

/** Event that was sent, or is to be sent, to an endpoint. */
export const EventDelivery = v.object({
  id: describe(v.string(), "The id of the delivery, for its replay."),
  event_id: describe(v.string(), "The header `webhook-id`, the same in each attempt and at each endpoint."),
  type: EventType,
  status: v.picklist(["pending", "delivered", "failed"]),
  attempts: Integer,
  next_attempt_at: v.nullable(Timestamp),
  response_status: v.nullable(Integer),
  error: describe(v.nullable(v.string()), "Why the last attempt failed, such as `timeout`."),
  payload: describe(v.string(), "The body as it is signed and sent with the format `standard`."),
  created_at: Timestamp,
});
export type EventDelivery = v.InferOutput<typeof EventDelivery>;

const route = routeGroup({ group: "event-endpoints", auth: "jwt", capability: "webhook.manage" });

export const createEventEndpointRoute = route("POST /v1/event-endpoints", {
  id: "createEventEndpoint",
  body: v.strictObject({
    url: HttpUrl,
    types: Types,
    format: v.optional(EventFormat, "standard"),
    headers: v.optional(Headers),
    include_content: v.optional(IncludeContent, false),
    description: v.optional(v.nullable(lineOf(200)), null),
  }),
  replies: { 201: WithSecret },
  errors: ["conflict"],
  summary: "Create an event endpoint",
  description: `Events are sent as [Standard Webhooks](https://www.standardwebhooks.com): a POST with \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` and a body of at most 20 KB, \`{"type", "timestamp", "data"}\`. \`data\` has ids, states and counts, and no text of conversations. The formats \`slack\` and \`teams\` send one sentence to an incoming webhook instead, unsigned. \`otlp\` posts the trace of an answer to \`<url>/v1/traces\` of an OpenTelemetry collector, for \`run.completed\` and \`run.failed\`. An attempt waits ten seconds; a status of 2xx accepts. Others are repeated with growing pauses for at least 24 hours; 410 disables the endpoint. Events can arrive twice and in any order. A tenant has at most ${MAX_EVENT_ENDPOINTS} endpoints. Changes take effect at once. Types:\n\n${Object.entries(
    events,
  )
    .map(([type, { description }]) => `- \`${type}\`: ${description}`)
    .join("\n")}`,
});

export const listEventEndpointsRoute = route("GET /v1/event-endpoints", {
  id: "listEventEndpoints",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("endpoints", EventEndpoint) },
  summary: "List event endpoints",
});

export const getEventEndpointRoute = route("GET /v1/event-endpoints/{id}", {
  id: "getEventEndpoint",
  replies: { 200: EventEndpoint },
  summary: "Get an event endpoint",
});

export const updateEventEndpointRoute = route("PATCH /v1/event-endpoints/{id}", {
  id: "updateEventEndpoint",
  body: v.partial(
    v.strictObject({
      url: HttpUrl,
      types: Types,
      format: EventFormat,
      headers: v.nullable(Headers),
      include_content: IncludeContent,
      description: v.nullable(lineOf(200)),
      enabled: v.boolean(),
    }),
  ),
  replies: { 200: EventEndpoint },
  errors: ["conflict"],
  summary: "Change an event endpoint",
});

export const deleteEventEndpointRoute = route("DELETE /v1/event-endpoints/{id}", {
  id: "deleteEventEndpoint",
  summary: "Delete an event endpoint",
  description: "Events that wait for another attempt are not sent any more.",
});

export const rotateEventEndpointSecretRoute = route("POST /v1/event-endpoints/{id}/rotate-secret", {
  id: "rotateEventEndpointSecret",
  replies: { 200: WithSecret },
  errors: ["conflict"],
  summary: "Rotate the secret of an event endpoint",
  description:
    "Replaces the key pair as well. For 24 hours, events carry the signatures of the new and of the previous version.",
});

export const testEventEndpointRoute = route("POST /v1/event-endpoints/{id}/test", {
  id: "testEventEndpoint",
  replies: { 202: EventDelivery },
  summary: "Send a test event",
  description: "Sends an event of the type `endpoint.test`, also to an endpoint that does not name this type.",
});

export const listEventDeliveriesRoute = route("GET /v1/event-endpoints/{id}/deliveries", {
  id: "listEventDeliveries",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("deliveries", EventDelivery) },
  summary: "List event deliveries",
  description: "Returns the deliveries of the last 30 days to an endpoint, the newest first.",
});

export const replayEventDeliveryRoute = route("POST /v1/event-endpoints/{id}/deliveries/{delivery_id}/replay", {
  id: "replayEventDelivery",
  params: v.object({ ...IdParams.entries, delivery_id: v.pipe(v.string(), v.maxLength(100)) }),
  replies: { 202: EventDelivery },
  summary: "Send an event again",
  description: "Sends the event with the same id and body once more, also if it was delivered.",
});
