import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, pageOf, Timestamp } from "../fields.ts";
import { AlertPaths } from "./alert-paths.ts";
import { InvestigateInput, Severity } from "./investigate.ts";
import { SlackPlaceInput, TeamsPlaceInput } from "./places.ts";
import { AlertProvider, ChannelParams, WebhookChannel } from "./webhooks.ts";
import { WriteBackInput } from "./write-back.ts";

/** Received delivery. Repeated deliveries of the same event count as one. */
export const Delivery = v.object({
  fingerprint: describe(v.string(), "Id of the delivery within its channel"),
  status: v.optional(v.picklist(["accepted", "refused"]), "accepted"),
  /** Reason of a refusal, such as `invalid_signature`. */
  reason: v.optional(v.nullable(v.string()), null),
  /** Explanation of a refusal, without values of the body. */
  detail: v.optional(v.nullable(v.string()), null),
  alert_id: v.nullable(v.string()),
  message_id: v.nullable(Id),
  provider: v.nullable(AlertProvider),
  severity: v.nullable(Severity),
  title: describe(v.optional(v.nullable(v.string()), null), "Title of the alert, or the first line of its text."),
  /** Id of the incident that the event belongs to, if its provider names one. */
  incident: v.optional(v.nullable(v.string()), null),
  /** Top-level fields of the payload that were not read. */
  ignored_fields: v.optional(v.array(v.string()), []),
  guessed_paths: describe(
    v.optional(v.nullable(AlertPaths), null),
    "Paths by which a payload was read whose form is not known; null for any other. As `paths` of the channel, they can be corrected.",
  ),
  is_test: v.optional(v.boolean(), false),
  received_at: Timestamp,
  /** Number of repeated deliveries: of the same event, or refused in the same minute for the same reason. */
  duplicates: Integer,
});
export type Delivery = v.InferOutput<typeof Delivery>;

const AlertState = v.picklist(["open", "acknowledged", "resolved"]);

const route = routeGroup({ group: "webhooks", auth: "jwt", capability: "webhook.manage" });

export const replayDeliveryRoute = route("POST /v1/webhooks/{channel_id}/deliveries/{fingerprint}/replay", {
  id: "replayDelivery",
  params: v.object({ channel_id: ChannelParams.entries.channel_id, fingerprint: v.pipe(v.string(), v.maxLength(200)) }),
  replies: { 200: v.object({ alert_id: v.string(), message_id: Id }) },
  errors: ["conflict"],
  summary: "Replay a delivery",
  description:
    "Adds the alert of an accepted delivery to the channel's conversation once more. An event of an incident does not become a second message: it is applied to the incident's thread again, and the response has the id of its message. Refused deliveries cannot be replayed, because they became no alert.",
});

export const listDeliveriesRoute = route("GET /v1/webhooks/{channel_id}/deliveries", {
  id: "listDeliveries",
  params: ChannelParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("deliveries", Delivery) },
  summary: "List deliveries",
  description:
    "Returns the deliveries of the last 90 days in reverse chronological order, including refused ones with their reason and detail. Refusals of the same minute and reason are one entry, whose `duplicates` counts the repetitions. Deliveries that the rate limit refuses (429) or that fail (5xx) are not listed.",
});

/** Alert that a delivery of unknown form becomes with the paths of its channel. */
const AlertPreview = v.object({
  received_at: Timestamp,
  provider: AlertProvider,
  severity: Severity,
  title: v.nullable(v.string()),
  description: v.string(),
  link: v.nullable(v.string()),
  state: v.nullable(AlertState),
  incident: v.nullable(v.string()),
});

export const updateWebhookRoute = route("PATCH /v1/webhooks/{channel_id}", {
  id: "updateWebhook",
  params: ChannelParams,
  body: v.strictObject({
    paths: v.optional(v.nullable(AlertPaths)),
    investigate: describe(
      v.optional(v.nullable(InvestigateInput)),
      "Lets alerts start investigations, which read and use tools with the rights of the caller; null ends that.",
    ),
    slack: describe(
      v.optional(v.nullable(SlackPlaceInput)),
      "Posts alerts and results of investigations to a channel that the app of the workspace is in; null ends that.",
    ),
    teams: describe(
      v.optional(v.nullable(TeamsPlaceInput)),
      "Posts alerts and results of investigations to a channel that the bot of the workspace is in; null ends that.",
    ),
    write_back: describe(
      v.optional(v.nullable(WriteBackInput)),
      "Lets people acknowledge, comment and resolve incidents in the service of the alerts; null ends that.",
    ),
    dry_run: describe(v.optional(v.boolean(), false), "Returns the preview without changing the channel."),
  }),
  replies: {
    200: v.object({
      ...WebhookChannel.entries,
      preview: describe(
        v.nullable(AlertPreview),
        "The alert that the last delivery of unknown form becomes with these paths; null if there is none. Deliveries are kept for this while the channel has no paths.",
      ),
    }),
  },
  errors: ["forbidden", "conflict"],
  summary: "Change a webhook channel",
  description:
    "Changes what the body contains: the settings of investigations and of the write-back, and the paths to the parts of an alert in payloads of tools that are not known, and shows what the last delivery of unknown form becomes with them.",
});
