import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, Limit, pageOf, Timestamp } from "../fields.ts";

/** Constant: the header a signature comes in. */
export const signatureHeader = "X-Webhook-Signature" as const;

const ChannelId = v.pipe(
  v.string(),
  v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 of letters, digits, - and _"),
  v.check((id) => id !== "register", "is a path of its own"),
);

const ChannelParams = v.object({ channel_id: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)) });

/** A channel that posts alerts into a conversation, as administrators see it. */
export const WebhookChannel = v.object({
  channel_id: v.string(),
  registered: v.boolean(),
  has_conversation_mapping: v.boolean(),
  conversation_id: v.nullable(Id),
  webhook_url: v.string(),
  created_at: Timestamp,
});

/** A channel that posts alerts into a conversation, as administrators see it. */
export type WebhookChannel = v.InferOutput<typeof WebhookChannel>;

/** How severe an alert is. */
export const Severity = v.picklist(["low", "medium", "high", "critical"]);
/** How severe an alert is. */
export type Severity = v.InferOutput<typeof Severity>;

/** Whom an alert can come from. */
export const AlertProvider = v.picklist(["incident", "monitor", "custom"]);
/** Whom an alert can come from. */
export type AlertProvider = v.InferOutput<typeof AlertProvider>;

/** One alert as it came in; deliveries of the same alert count as one. */
export const Delivery = v.object({
  alert_id: v.string(),
  message_id: Id,
  provider: AlertProvider,
  severity: Severity,
  received_at: Timestamp,
  /** How often it was delivered again. */
  duplicates: v.number(),
});
/** One alert as it came in. */
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
  summary: "Register a channel for alerts",
  description:
    "`secret` is shown in this answer and never again. `provider_secret` is the one a provider such as PagerDuty made for its own signatures (`X-PagerDuty-Signature`), which are then accepted as well.",
});

export const listWebhooks = defineRoute({
  ...administration,
  id: "listWebhooks",
  method: "GET",
  path: "/v1/webhooks",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("webhooks", WebhookChannel) },
  errors: ["invalid_cursor"],
  summary: "List the tenant's channels",
});

export const getWebhookInfo = defineRoute({
  ...administration,
  id: "getWebhookInfo",
  method: "GET",
  path: "/v1/webhooks/{channel_id}/info",
  params: ChannelParams,
  replies: { 200: WebhookChannel },
  errors: ["not_found"],
  summary: "Look at a channel",
  description: "Unknown channels and those of other tenants give the same 404.",
});

export const removeWebhook = defineRoute({
  ...administration,
  id: "removeWebhook",
  method: "DELETE",
  path: "/v1/webhooks/{channel_id}",
  params: ChannelParams,
  replies: { 204: null },
  errors: ["not_found"],
  summary: "Remove a channel",
  description: "Registering it again gives it a fresh secret.",
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
  summary: "List the alerts a channel took",
  description: "Newest first, of the last 90 days.",
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
  summary: "Take an alert of a monitoring tool",
  description:
    "Signed with HMAC-SHA256 over the raw body, hex, in `X-Webhook-Signature`. `X-Webhook-Provider` says whose payload it is; without it the payload does. A delivery seen before answers with the first `message_id`.",
});
