import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, lineOf, PathId, pageOf, Timestamp } from "../fields.ts";
import { JsonObject } from "../json.ts";

export const MAX_SLACK_WORKSPACES = 20;

const BotToken = describe(
  v.pipe(v.string(), v.regex(/^xoxb-[A-Za-z0-9-]{7,200}$/, "must be the bot token of the app, xoxb-…")),
  "The bot token of the installed app, `xoxb-…`. It is verified with Slack (`auth.test`).",
);

const SigningSecret = describe(
  v.pipe(v.string(), v.regex(/^[a-f0-9]{32,64}$/, "must be the signing secret of the app")),
  "The signing secret of the app, from its basic information.",
);

/** Workspace of Slack with an app that answers in it. */
export const SlackWorkspace = v.object({
  id: Id,
  name: v.string(),
  status: describe(
    v.picklist(["incomplete", "ready", "disabled", "failed"]),
    "`incomplete` until the token and the signing secret are set; `failed` if Slack refused the token, see `error`.",
  ),
  persona_id: describe(v.nullable(Id), "The persona of conversations that start in the workspace."),
  enabled: v.boolean(),
  installed: describe(
    v.boolean(),
    "Installed with the app of the deployment, so that it needs no token and signing secret.",
  ),
  team_id: v.nullable(v.string()),
  team_name: v.nullable(v.string()),
  error: describe(v.nullable(v.string()), "The code with which Slack last refused the token."),
  request_url: describe(v.string(), "The address for events and for interactivity of the app."),
  manifest: describe(JsonObject, "The manifest from which the app is created in Slack."),
  created_at: Timestamp,
});
export type SlackWorkspace = v.InferOutput<typeof SlackWorkspace>;

const route = routeGroup({ group: "slack", auth: "jwt", capability: "webhook.manage" });

const settings = {
  name: lineOf(80),
  persona_id: v.nullable(Id),
  bot_token: BotToken,
  signing_secret: SigningSecret,
};

export const createSlackWorkspaceRoute = route("POST /v1/slack/workspaces", {
  id: "createSlackWorkspace",
  body: v.strictObject({
    name: settings.name,
    persona_id: v.optional(settings.persona_id, null),
    bot_token: v.optional(BotToken),
    signing_secret: v.optional(SigningSecret),
  }),
  replies: { 201: SlackWorkspace },
  errors: ["conflict", "not_found"],
  summary: "Add a Slack workspace",
  description: `Create the app in Slack from \`manifest\`, install it, and set its token and signing secret with \`updateSlackWorkspace\`. Secrets are stored encrypted, and no response contains them. A tenant has at most ${MAX_SLACK_WORKSPACES} workspaces.`,
});

export const listSlackWorkspacesRoute = route("GET /v1/slack/workspaces", {
  id: "listSlackWorkspaces",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: {
    200: v.object({
      ...pageOf("workspaces", SlackWorkspace).entries,
      has_app: describe(
        v.boolean(),
        "The deployment has an app, which `createSlackInstallation` installs in a workspace.",
      ),
    }),
  },
  summary: "List Slack workspaces",
});

export const getSlackWorkspaceRoute = route("GET /v1/slack/workspaces/{id}", {
  id: "getSlackWorkspace",
  replies: { 200: SlackWorkspace },
  summary: "Get a Slack workspace",
});

export const updateSlackWorkspaceRoute = route("PATCH /v1/slack/workspaces/{id}", {
  id: "updateSlackWorkspace",
  body: v.partial(v.strictObject({ ...settings, enabled: v.boolean() })),
  replies: { 200: SlackWorkspace },
  errors: ["conflict"],
  summary: "Change a Slack workspace",
  description:
    "A token of another team than before is refused with 409, because links of accounts belong to people of one team. So are secrets for a workspace with the app of the deployment.",
});

export const deleteSlackWorkspaceRoute = route("DELETE /v1/slack/workspaces/{id}", {
  id: "deleteSlackWorkspace",
  summary: "Remove a Slack workspace",
  description: "Its secrets are deleted, and requests to its address get a 404. Conversations are kept.",
});

const signedRoute = routeGroup({
  group: "slack",
  auth: "slack-signature",
  body: v.looseObject({}),
  anyContentType: true,
  acceptsForm: true,
  replies: {
    200: v.object({
      challenge: describe(v.optional(v.string()), "The challenge of a `url_verification`."),
    }),
  },
  errors: ["not_found"],
});

export const receiveSlackAppRequestRoute = signedRoute("POST /v1/slack/events", {
  id: "receiveSlackAppRequest",
  summary: "Receive a request of Slack for the app of the deployment",
  description:
    "As `receiveSlackRequest`, for all workspaces in which the app of the deployment is installed; the team in the signed body names the workspace. Requests of other teams are ignored.",
});

export const receiveSlackRequestRoute = signedRoute("POST /v1/slack/{workspace_id}", {
  id: "receiveSlackRequest",
  params: v.object({ workspace_id: PathId }),
  summary: "Receive a request of Slack",
  description:
    "The address for events and interactivity of a Slack app. The signature `v0` covers the time and the body, and the time may differ by five minutes. A mention, a direct message or a message in a thread of the app is answered after the response; a repeated delivery changes nothing.",
});
