import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, lineOf, PathId, pageOf, Timestamp } from "../fields.ts";
import { JsonObject } from "../json.ts";
import { Messenger } from "./event-ref.ts";

/** Maximum number of workspaces of a tenant in each messenger. */
export const MAX_MESSENGER_WORKSPACES = 20;

const Uuid = v.pipe(v.string(), v.uuid(), v.toLowerCase());

/** Credentials of a workspace, by messenger. */
export const messengerCredentials = {
  slack: {
    bot_token: describe(
      v.pipe(v.string(), v.regex(/^xoxb-[A-Za-z0-9-]{7,200}$/, "must be the bot token of the app, xoxb-…")),
      "Slack: the bot token of the installed app, `xoxb-…`. It is verified with Slack (`auth.test`).",
    ),
    signing_secret: describe(
      v.pipe(v.string(), v.regex(/^[a-f0-9]{32,64}$/, "must be the signing secret of the app")),
      "Slack: the signing secret of the app, from its basic information.",
    ),
  },
  teams: {
    app: describe(
      v.strictObject({
        id: describe(Uuid, "The Microsoft App ID of the bot."),
        tenant_id: describe(
          v.optional(v.nullable(Uuid), null),
          "The directory (Entra tenant) of a bot for a single tenant; null for a multi-tenant bot.",
        ),
        secret: describe(v.pipe(v.string(), v.minLength(1), v.maxLength(200)), "A client secret of the app."),
      }),
      "Teams: the app registration of the Azure Bot. Its secret is verified with Microsoft.",
    ),
  },
};

/** Workspace of Slack or organization of Microsoft Teams, with an app that answers in it. */
export const MessengerWorkspace = v.object({
  id: Id,
  messenger: Messenger,
  name: v.string(),
  status: describe(
    v.picklist(["incomplete", "unconnected", "ready", "disabled", "failed"]),
    "`incomplete` until the credentials are set; `unconnected` until an administrator has sent a code to the bot in Teams; `failed` if the messenger refused the credentials, see `error`.",
  ),
  persona_id: describe(v.nullable(Id), "The persona of conversations that start in the workspace."),
  enabled: v.boolean(),
  installed: describe(
    v.boolean(),
    "Installed with the app of the deployment (Slack only), so that it needs no token and signing secret.",
  ),
  organization_id: describe(
    v.nullable(v.string()),
    "The team of Slack, or the organization (Entra tenant) of Teams, that is connected. Messages of others are ignored.",
  ),
  organization_name: describe(v.nullable(v.string()), "The name of the team of Slack; null in Teams."),
  app_id: describe(v.nullable(v.string()), "The Microsoft App ID of the bot; null in Slack."),
  app_tenant_id: describe(v.nullable(v.string()), "The directory of a bot for a single tenant; null in Slack."),
  error: describe(v.nullable(v.string()), "The code with which the messenger last refused the credentials."),
  request_url: describe(
    v.string(),
    "The address for events and interactivity of the app of Slack, or the messaging endpoint of the bot in Azure.",
  ),
  manifest: describe(
    v.nullable(JsonObject),
    "The manifest from which the app is created in Slack, or that of the app for Teams, null until the app is set.",
  ),
  created_at: Timestamp,
});
export type MessengerWorkspace = v.InferOutput<typeof MessengerWorkspace>;

const route = routeGroup({ group: "messengers", auth: "jwt", capability: "webhook.manage" });

const MessengerParams = v.object({ messenger: Messenger });
const WorkspaceParams = v.object({ messenger: Messenger, id: PathId });

const settings = { name: lineOf(80), persona_id: v.nullable(Id) };
const credentials = { ...messengerCredentials.slack, ...messengerCredentials.teams };

export const createMessengerWorkspaceRoute = route("POST /v1/messengers/{messenger}/workspaces", {
  id: "createMessengerWorkspace",
  params: MessengerParams,
  body: v.strictObject({
    name: settings.name,
    persona_id: v.optional(settings.persona_id, null),
    ...v.partial(v.object(credentials)).entries,
  }),
  replies: { 201: MessengerWorkspace },
  errors: ["conflict", "not_found"],
  summary: "Add a workspace of a messenger",
  description: `In Slack, create the app from \`manifest\`, install it, and set its token and signing secret with \`updateMessengerWorkspace\`. For Teams, create a bot in Azure with \`request_url\`, set its id and secret, and connect an organization with \`createMessengerCode\`. Secrets are stored encrypted, and no response contains them. Credentials of another messenger are refused. A tenant has at most ${MAX_MESSENGER_WORKSPACES} workspaces in each messenger.`,
});

export const listMessengerWorkspacesRoute = route("GET /v1/messengers/{messenger}/workspaces", {
  id: "listMessengerWorkspaces",
  params: MessengerParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: {
    200: v.object({
      ...pageOf("workspaces", MessengerWorkspace).entries,
      has_app: describe(
        v.boolean(),
        "The deployment has an app, which `createMessengerInstallation` installs in a workspace (Slack only).",
      ),
    }),
  },
  summary: "List workspaces of a messenger",
});

export const getMessengerWorkspaceRoute = route("GET /v1/messengers/{messenger}/workspaces/{id}", {
  id: "getMessengerWorkspace",
  params: WorkspaceParams,
  replies: { 200: MessengerWorkspace },
  summary: "Get a workspace of a messenger",
});

export const updateMessengerWorkspaceRoute = route("PATCH /v1/messengers/{messenger}/workspaces/{id}", {
  id: "updateMessengerWorkspace",
  params: WorkspaceParams,
  body: v.partial(v.strictObject({ ...settings, ...credentials, enabled: v.boolean() })),
  replies: { 200: MessengerWorkspace },
  errors: ["conflict"],
  summary: "Change a workspace of a messenger",
  description:
    "A token of another team of Slack than before is refused with 409, because links of accounts belong to people of one team. So are secrets for a workspace with the app of the deployment.",
});

export const deleteMessengerWorkspaceRoute = route("DELETE /v1/messengers/{messenger}/workspaces/{id}", {
  id: "deleteMessengerWorkspace",
  params: WorkspaceParams,
  summary: "Remove a workspace of a messenger",
  description: "Its secrets are deleted, and requests to its address get a 404. Conversations are kept.",
});

export const createMessengerCodeRoute = route("POST /v1/messengers/{messenger}/workspaces/{id}/codes", {
  id: "createMessengerCode",
  params: WorkspaceParams,
  keys: "refused",
  replies: { 201: v.object({ code: v.string(), expires_at: Timestamp }) },
  errors: ["conflict"],
  summary: "Create a code that connects an organization of Teams",
  description:
    "Write `connect <code>` to the bot in Teams: the organization of the person who does is connected. The code is valid for 15 minutes and once, and replaces an earlier one. A workspace stays connected with its organization, so that a second code is refused with 409. So is one for Slack, where the token names the team.",
});

const Parameter = v.pipe(v.string(), v.minLength(1), v.maxLength(2_000));

export const createMessengerInstallationRoute = route("POST /v1/messengers/{messenger}/installations", {
  id: "createMessengerInstallation",
  params: MessengerParams,
  keys: "refused",
  body: v.strictObject({
    name: describe(v.optional(v.nullable(lineOf(80)), null), "The name here; by default that of the team."),
  }),
  replies: { 201: v.object({ url: v.string(), expires_at: Timestamp }) },
  errors: ["conflict"],
  summary: "Start the installation of the Slack app",
  description:
    "Returns the address at which an administrator installs the app of the deployment in a workspace of Slack (OAuth). Slack sends the person back to the console. The installation is valid for 15 minutes and once. Returns 409 if the deployment has no app, and for Teams.",
});

export const completeMessengerInstallationRoute = route("PUT /v1/messengers/{messenger}/installations", {
  id: "completeMessengerInstallation",
  params: MessengerParams,
  keys: "refused",
  body: v.strictObject({ state: Parameter, code: v.optional(Parameter), error: v.optional(Parameter) }),
  replies: { 200: MessengerWorkspace },
  errors: ["conflict"],
  summary: "Complete the installation of the Slack app",
  description:
    "Takes the parameters with which Slack sent the person back. Only the user who has started the installation can complete it. A workspace of this tenant is connected again; one of another tenant is refused with 409.",
});
