import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, Limit, pageOf, Timestamp } from "../fields.ts";

/** Header that carries the signature of an alert. */
export const signatureHeader = "X-Webhook-Signature" as const;

const ChannelId = v.pipe(
  v.string(),
  v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, - or _"),
  v.check((id) => id !== "register", "is reserved"),
);

const ChannelParams = v.object({ channel_id: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)) });

/** Webhook channel that posts alerts to a conversation. */
export const WebhookChannel = v.object({
  channel_id: v.string(),
  registered: v.boolean(),
  has_conversation_mapping: v.boolean(),
  conversation_id: v.nullable(Id),
  webhook_url: v.string(),
  created_at: Timestamp,
});
export type WebhookChannel = v.InferOutput<typeof WebhookChannel>;

/** Severity of an alert. */
export const Severity = v.picklist(["low", "medium", "high", "critical"]);
export type Severity = v.InferOutput<typeof Severity>;

/** Monitoring tool that an alert comes from. */
export const AlertProvider = v.picklist(["incident", "monitor", "custom"]);
export type AlertProvider = v.InferOutput<typeof AlertProvider>;

/** Received alert. Repeated deliveries of the same alert count as one. */
export const Delivery = v.object({
  alert_id: v.string(),
  message_id: Id,
  provider: AlertProvider,
  severity: Severity,
  received_at: Timestamp,
  /** Number of repeated deliveries. */
  duplicates: v.number(),
});
export type Delivery = v.InferOutput<typeof Delivery>;

const administration = { group: "webhooks", auth: "jwt", capability: "webhook.manage" } as const;

export const registerWebhook = defineRoute({
  ...administration,
  id: "registerWebhook",
  method: "POST",
  path: "/v1/webhooks/register",
  body: v.strictObject({
    channel_id: ChannelId,
    conversation_id: Id,
    provider_secret: v.optional(v.pipe(v.string(), v.minLength(8), v.maxLength(512))),
  }),
  replies: {
    201: v.object({
      channel_id: v.string(),
      conversation_id: Id,
      webhook_url: v.string(),
      secret: v.string(),
      signature_header: v.literal(signatureHeader),
      message: v.string(),
    }),
  },
  errors: ["not_found", "conflict"],
  summary: "Register a webhook channel",
  description:
    "The response is the only one that contains `secret`. Set `provider_secret` to the signing secret of a provider such as PagerDuty to also accept the provider's own signatures (`X-PagerDuty-Signature`).",
});

export const listWebhooks = defineRoute({
  ...administration,
  id: "listWebhooks",
  method: "GET",
  path: "/v1/webhooks",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("webhooks", WebhookChannel) },
  errors: ["invalid_cursor"],
  summary: "List webhook channels",
});

export const getWebhookInfo = defineRoute({
  ...administration,
  id: "getWebhookInfo",
  method: "GET",
  path: "/v1/webhooks/{channel_id}/info",
  params: ChannelParams,
  replies: { 200: WebhookChannel },
  errors: ["not_found"],
  summary: "Get a webhook channel",
  description: "Returns 404 for unknown channels and for channels of other tenants.",
});

export const removeWebhook = defineRoute({
  ...administration,
  id: "removeWebhook",
  method: "DELETE",
  path: "/v1/webhooks/{channel_id}",
  params: ChannelParams,
  replies: { 204: null },
  errors: ["not_found"],
  summary: "Remove a webhook channel",
  description: "Registering the channel again creates a new secret.",
});

export const listDeliveries = defineRoute({
  ...administration,
  id: "listDeliveries",
  method: "GET",
  path: "/v1/webhooks/{channel_id}/deliveries",
  params: ChannelParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("deliveries", Delivery) },
  errors: ["not_found", "invalid_cursor"],
  summary: "List received alerts",
  description: "Returns the alerts that a channel received in the last 90 days in reverse chronological order.",
});

export const ingestAlert = defineRoute({
  id: "ingestAlert",
  group: "webhooks",
  method: "POST",
  path: "/v1/webhooks/{channel_id}",
  auth: "webhook-signature",
  params: ChannelParams,
  body: v.looseObject({}),
  replies: {
    200: v.object({
      status: v.literal("success"),
      message: v.string(),
      alert_id: v.string(),
      message_id: Id,
      trace_id: v.string(),
    }),
  },
  errors: ["not_found"],
  summary: "Ingest an alert",
  description:
    "Requires the HMAC-SHA256 of the raw request body in hex in `X-Webhook-Signature`. `X-Webhook-Provider` selects the payload format. If it is omitted, the format is detected from the payload. A repeated delivery returns the `message_id` of the first one.",
});
