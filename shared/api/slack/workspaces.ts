import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, lineOf, PathId, pageOf, Timestamp } from "../fields.ts";
import { JsonObject } from "../json.ts";

export const MAX_SLACK_WORKSPACES = 20;

const BotToken = v.pipe(
  v.string(),
  v.regex(/^xoxb-[A-Za-z0-9-]{7,200}$/, "must be the bot token of the app, xoxb-…"),
  v.description("The bot token of the installed app, `xoxb-…`. It is verified with Slack (`auth.test`)."),
);

const SigningSecret = v.pipe(
  v.string(),
  v.regex(/^[a-f0-9]{32,64}$/, "must be the signing secret of the app"),
  v.description("The signing secret of the app, from its basic information."),
);

/** Workspace of Slack with an app that answers in it. */
export const SlackWorkspace = v.object({
  id: Id,
  name: v.string(),
  status: v.pipe(
    v.picklist(["incomplete", "ready", "disabled", "failed"]),
    v.description(
      "`incomplete` until the token and the signing secret are set; `failed` if Slack refused the token, see `error`.",
    ),
  ),
  persona_id: v.pipe(v.nullable(Id), v.description("The persona of conversations that start in the workspace.")),
  enabled: v.boolean(),
  installed: v.pipe(
    v.boolean(),
    v.description("Installed with the app of the deployment, so that it needs no token and signing secret."),
  ),
  team_id: v.nullable(v.string()),
  team_name: v.nullable(v.string()),
  error: v.pipe(v.nullable(v.string()), v.description("The code with which Slack last refused the token.")),
  request_url: v.pipe(v.string(), v.description("The address for events and for interactivity of the app.")),
  manifest: v.pipe(JsonObject, v.description("The manifest from which the app is created in Slack.")),
  created_at: Timestamp,
});
export type SlackWorkspace = v.InferOutput<typeof SlackWorkspace>;

const group = { group: "slack", auth: "jwt" } as const;
const administration = { ...group, capability: "webhook.manage" } as const;

const settings = {
  name: lineOf(80),
  persona_id: v.nullable(Id),
  bot_token: BotToken,
  signing_secret: SigningSecret,
};

export const createSlackWorkspaceRoute = defineRoute({
  ...administration,
  id: "createSlackWorkspace",
  method: "POST",
  path: "/v1/slack/workspaces",
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

export const listSlackWorkspacesRoute = defineRoute({
  ...administration,
  id: "listSlackWorkspaces",
  method: "GET",
  path: "/v1/slack/workspaces",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: {
    200: v.object({
      ...pageOf("workspaces", SlackWorkspace).entries,
      has_app: v.pipe(
        v.boolean(),
        v.description("The deployment has an app, which `createSlackInstallation` installs in a workspace."),
      ),
    }),
  },
  errors: ["invalid_cursor"],
  summary: "List Slack workspaces",
});

export const getSlackWorkspaceRoute = defineRoute({
  ...administration,
  id: "getSlackWorkspace",
  method: "GET",
  path: "/v1/slack/workspaces/{id}",
  params: IdParams,
  replies: { 200: SlackWorkspace },
  errors: ["not_found"],
  summary: "Get a Slack workspace",
});

export const updateSlackWorkspaceRoute = defineRoute({
  ...administration,
  id: "updateSlackWorkspace",
  method: "PATCH",
  path: "/v1/slack/workspaces/{id}",
  params: IdParams,
  body: v.partial(v.strictObject({ ...settings, enabled: v.boolean() })),
  replies: { 200: SlackWorkspace },
  errors: ["not_found", "conflict"],
  summary: "Change a Slack workspace",
  description:
    "A token of another team than before is refused with 409, because links of accounts belong to people of one team. So are secrets for a workspace with the app of the deployment.",
});

export const deleteSlackWorkspaceRoute = defineRoute({
  ...administration,
  id: "deleteSlackWorkspace",
  method: "DELETE",
  path: "/v1/slack/workspaces/{id}",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found"],
  summary: "Remove a Slack workspace",
  description: "Its secrets are deleted, and requests to its address get a 404. Conversations are kept.",
});

const request = {
  group: "slack",
  method: "POST",
  auth: "slack-signature",
  body: v.looseObject({}),
  anyContentType: true,
  acceptsForm: true,
  replies: {
    200: v.object({
      challenge: v.pipe(v.optional(v.string()), v.description("The challenge of a `url_verification`.")),
    }),
  },
  errors: ["not_found"],
} as const;

export const receiveSlackAppRequestRoute = defineRoute({
  ...request,
  id: "receiveSlackAppRequest",
  path: "/v1/slack/events",
  summary: "Receive a request of Slack for the app of the deployment",
  description:
    "As `receiveSlackRequest`, for all workspaces in which the app of the deployment is installed; the team in the signed body names the workspace. Requests of other teams are ignored.",
});

export const receiveSlackRequestRoute = defineRoute({
  ...request,
  id: "receiveSlackRequest",
  path: "/v1/slack/{workspace_id}",
  params: v.object({ workspace_id: PathId }),
  summary: "Receive a request of Slack",
  description:
    "The address for events and interactivity of a Slack app. The signature `v0` covers the time and the body, and the time may differ by five minutes. A mention, a direct message or a message in a thread of the app is answered after the response; a repeated delivery changes nothing.",
});
