import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, PathId } from "../fields.ts";

/** Requests that messengers send, each authenticated together with its body. */
const route = routeGroup({
  group: "messengers",
  auth: "slack-signature",
  body: v.looseObject({}),
  anyContentType: true,
});

const slackRequest = {
  acceptsForm: true,
  replies: {
    200: v.object({
      challenge: describe(v.optional(v.string()), "The challenge of a `url_verification`."),
    }),
  },
  errors: ["not_found"],
} as const;

export const receiveSlackAppRequestRoute = route("POST /v1/slack/events", {
  id: "receiveSlackAppRequest",
  ...slackRequest,
  summary: "Receive a request of Slack for the app of the deployment",
  description:
    "As `receiveSlackRequest`, for all workspaces in which the app of the deployment is installed; the team in the signed body names the workspace. Requests of other teams are ignored.",
});

export const receiveSlackRequestRoute = route("POST /v1/slack/{workspace_id}", {
  id: "receiveSlackRequest",
  params: v.object({ workspace_id: PathId }),
  ...slackRequest,
  summary: "Receive a request of Slack",
  description:
    "The address for events and interactivity of a Slack app. The signature `v0` covers the time and the body, and the time may differ by five minutes. A mention, a direct message or a message in a thread of the app is answered after the response; a repeated delivery changes nothing.",
});

export const receiveTeamsActivityRoute = route("POST /v1/teams/{workspace_id}", {
  id: "receiveTeamsActivity",
  auth: "teams-token",
  params: v.object({ workspace_id: PathId }),
  replies: {
    200: v.object({
      statusCode: v.optional(v.number()),
      type: v.optional(v.string()),
      value: describe(v.optional(v.string()), "The text that a person sees who has pressed a button."),
    }),
  },
  summary: "Receive an activity of Teams",
  description:
    "The messaging endpoint of a bot (Bot Framework). The token is one of the Bot Connector service for this bot, signed with a key that is endorsed for Teams, and names the address that answers are sent to. A mention, a message in a chat with the bot, or a message in a thread of the bot is answered after the response; a repeated delivery changes nothing.",
});
