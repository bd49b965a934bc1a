import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, pageOf, Timestamp, wholeNumber } from "../fields.ts";
import { AlertPaths } from "./alert-paths.ts";
import { Investigate } from "./investigate.ts";
import { SlackPlace, TeamsPlace } from "./places.ts";
import { WriteBack } from "./write-back.ts";

const ChannelId = v.pipe(
  v.string(),
  v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, - or _"),
  v.check((id) => id !== "register", "is reserved"),
);

export const ChannelParams = v.object({ channel_id: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)) });

/**
 * Scheme by which a channel verifies deliveries: `hmac`, the HMAC-SHA256 of the raw body in hex; `standard-webhooks`, which
 * also signs id and time; `token`, the secret itself as a bearer token or Basic password; `sns`, the signature of Amazon
 * SNS for one topic.
 */
export const SignatureScheme = v.picklist(["hmac", "standard-webhooks", "token", "sns"]);
export type SignatureScheme = v.InferOutput<typeof SignatureScheme>;

const TopicArn = describe(
  v.pipe(
    v.string(),
    v.regex(/^arn:aws[a-z-]*:sns:[a-z0-9-]{3,30}:\d{12}:[\w-]{1,256}(?:\.fifo)?$/, "must be the ARN of an SNS topic"),
  ),
  "The topic of Amazon SNS whose messages the channel accepts, with the signature scheme `sns`.",
);

const ProviderSecret = v.pipe(v.string(), v.minLength(8), v.maxLength(512));

/** Webhook channel that posts alerts to a conversation. */
export const WebhookChannel = v.object({
  channel_id: v.string(),
  registered: v.boolean(),
  has_conversation_mapping: v.boolean(),
  conversation_id: v.nullable(Id),
  webhook_url: v.string(),
  url: describe(v.string(), "Absolute address of the channel"),
  signature_scheme: SignatureScheme,
  paths: describe(v.nullable(AlertPaths), "Paths to the parts of an alert in payloads of tools that are not known."),
  investigate: describe(
    v.nullable(Investigate),
    "Settings of the investigations that alerts start; null if they start none.",
  ),
  write_back: describe(
    v.nullable(WriteBack),
    "Settings of the updates of incidents that are written to the service of the alerts; null without.",
  ),
  slack: describe(v.nullable(SlackPlace), "The channel of Slack to which alerts are posted; null for none."),
  teams: describe(v.nullable(TeamsPlace), "The channel of Teams to which alerts are posted; null for none."),
  created_at: Timestamp,
});
export type WebhookChannel = v.InferOutput<typeof WebhookChannel>;

/** Monitoring tool that an alert comes from. */
export const AlertProvider = v.picklist([
  "pagerduty",
  "datadog",
  "custom",
  "alertmanager",
  "cloudwatch",
  "github",
  "grafana",
  "new-relic",
  "sentry",
]);
export type AlertProvider = v.InferOutput<typeof AlertProvider>;

/** Common properties of the routes that administer channels. */
const route = routeGroup({ group: "webhooks", auth: "jwt", capability: "webhook.manage" });

export const registerWebhookRoute = route("POST /v1/webhooks/register", {
  id: "registerWebhook",
  body: v.pipe(
    v.strictObject({
      channel_id: ChannelId,
      conversation_id: Id,
      provider_secret: v.optional(ProviderSecret),
      signature_scheme: v.optional(SignatureScheme, "hmac"),
      topic_arn: v.optional(TopicArn),
      paths: v.optional(AlertPaths),
    }),
    v.forward(
      v.check(
        ({ signature_scheme, topic_arn }) => (signature_scheme === "sns") === (topic_arn !== undefined),
        "is required with the signature scheme sns, and only allowed with it",
      ),
      ["topic_arn"],
    ),
  ),
  replies: {
    201: v.object({
      channel_id: v.string(),
      conversation_id: Id,
      webhook_url: v.string(),
      url: v.string(),
      secret: describe(v.string(), "The signing secret; empty with the signature scheme `sns`."),
      signature_header: v.string(),
      signature_scheme: SignatureScheme,
      message: v.string(),
    }),
  },
  errors: ["not_found", "conflict"],
  summary: "Register a webhook channel",
  description:
    'The response is the only one that contains `secret`. `signature_scheme` is `hmac` by default. Choose `standard-webhooks` if the sender supports Standard Webhooks, because it also signs the id and the time of a delivery, `token` for senders that cannot sign, such as Alertmanager, and `sns` with `topic_arn` for CloudWatch alarms. Set `provider_secret` to the signing secret of a provider such as PagerDuty to also accept the provider\'s own signatures (`X-PagerDuty-Signature`). `paths` names where a tool that is not known sends the parts of an alert, such as `{"text": "data.alerts.0.summary"}`; `updateWebhook` changes them later.',
});

export const listWebhooksRoute = route("GET /v1/webhooks", {
  id: "listWebhooks",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("webhooks", WebhookChannel) },
  summary: "List webhook channels",
});

export const getWebhookInfoRoute = route("GET /v1/webhooks/{channel_id}/info", {
  id: "getWebhookInfo",
  params: ChannelParams,
  replies: { 200: WebhookChannel },
  summary: "Get a webhook channel",
  description: "Returns 404 for unknown channels and for channels of other tenants.",
});

export const removeWebhookRoute = route("DELETE /v1/webhooks/{channel_id}", {
  id: "removeWebhook",
  params: ChannelParams,
  summary: "Remove a webhook channel",
  description: "Registering the channel again creates a new secret.",
});

export const rotateWebhookSecretRoute = route("POST /v1/webhooks/{channel_id}/rotate-secret", {
  id: "rotateWebhookSecret",
  params: ChannelParams,
  body: v.strictObject({
    overlap_hours: v.optional(wholeNumber(0, 168), 24),
    provider_secret: describe(
      v.optional(ProviderSecret),
      "The provider's new signing secret. It replaces the one given at registration; the channel's own secret is not rotated then.",
    ),
  }),
  replies: {
    200: v.object({
      channel_id: v.string(),
      secret: describe(v.string(), "The new secret; empty if `provider_secret` was replaced."),
      signature_scheme: SignatureScheme,
      previous_secret_valid_until: Timestamp,
    }),
  },
  errors: ["conflict"],
  summary: "Rotate the secret of a webhook channel",
  description:
    "Returns a new secret, once. The previous secret stays valid for `overlap_hours`, 24 by default, so that the sender can be changed without losing alerts. With `provider_secret`, the provider's own secret is replaced in the same way.",
});

export const testWebhookRoute = route("POST /v1/webhooks/{channel_id}/test", {
  id: "testWebhook",
  params: ChannelParams,
  replies: { 200: v.object({ alert_id: v.string(), message_id: Id }) },
  summary: "Send a test alert",
  description: "Adds an alert that is marked as a test to the channel's conversation.",
});

const signedRoute = routeGroup({ group: "webhooks", auth: "webhook-signature" });

export const ingestAlertRoute = signedRoute("POST /v1/webhooks/{channel_id}", {
  id: "ingestAlert",
  params: ChannelParams,
  body: v.looseObject({}),
  anyBody: true,
  replies: {
    200: v.object({
      status: v.literal("success"),
      message: v.string(),
      alert_id: v.string(),
      message_id: Id,
      trace_id: v.string(),
      provider: AlertProvider,
      ignored_fields: v.array(v.string()),
    }),
  },
  summary: "Ingest an alert",
  description:
    "Requires a signature of the channel's scheme, by default the HMAC-SHA256 of the raw request body in hex in `X-Webhook-Signature`. The signatures of PagerDuty, GitHub, Sentry, Grafana and other tools that sign are accepted in their own headers. `X-Webhook-Provider` selects the payload format; `incident` and `monitor` stand for PagerDuty and Datadog. If it is omitted, the format is detected from the payload; send `custom` with the generic format. A payload of unknown form is accepted: its parts are found by their usual names, and the delivery names the paths as `guessed_paths`. Forms are read as their fields, or as the JSON in `payload` or `data`, a list as `items`, and any other text as `text`. The response names the detected `provider` and the fields that were ignored. A repeated delivery returns the `message_id` of the first one.",
});
