import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, lineOf, PathId, pageOf, Timestamp } from "../fields.ts";
import { JsonObject } from "../json.ts";

export const MAX_TEAMS_WORKSPACES = 20;

const Uuid = v.pipe(v.string(), v.uuid(), v.toLowerCase());

/** App registration of the Azure Bot that answers in Teams, with its credentials. */
const TeamsApp = describe(
  v.strictObject({
    id: describe(Uuid, "The Microsoft App ID of the bot."),
    tenant_id: describe(
      v.optional(v.nullable(Uuid), null),
      "The directory (Entra tenant) of a bot for a single tenant; null for a multi-tenant bot.",
    ),
    secret: describe(v.pipe(v.string(), v.minLength(1), v.maxLength(200)), "A client secret of the app."),
  }),
  "The bot. Its secret is verified with Microsoft, stored encrypted, and no response contains it.",
);

/** Organization of Microsoft Teams with a bot that answers in it. */
export const TeamsWorkspace = v.object({
  id: Id,
  name: v.string(),
  status: describe(
    v.picklist(["incomplete", "unconnected", "ready", "disabled", "failed"]),
    "`incomplete` until the app is set; `unconnected` until an administrator has sent a code to the bot in Teams; `failed` if Microsoft refused the secret, see `error`.",
  ),
  persona_id: describe(v.nullable(Id), "The persona of conversations that start in the workspace."),
  enabled: v.boolean(),
  app_id: v.nullable(v.string()),
  app_tenant_id: v.nullable(v.string()),
  teams_tenant_id: describe(
    v.nullable(v.string()),
    "The organization (Entra tenant) that is connected. Messages of others are ignored.",
  ),
  error: describe(v.nullable(v.string()), "The code with which Microsoft last refused the secret."),
  messaging_endpoint: describe(v.string(), "The messaging endpoint of the bot in Azure."),
  manifest: describe(v.nullable(JsonObject), "The manifest of the app for Teams; null until the app is set."),
  created_at: Timestamp,
});
export type TeamsWorkspace = v.InferOutput<typeof TeamsWorkspace>;

const route = routeGroup({ group: "teams", auth: "jwt", capability: "webhook.manage" });

const settings = { name: lineOf(30), persona_id: v.nullable(Id), app: TeamsApp };

export const createTeamsWorkspaceRoute = route("POST /v1/teams/workspaces", {
  id: "createTeamsWorkspace",
  body: v.strictObject({
    name: settings.name,
    persona_id: v.optional(settings.persona_id, null),
    app: v.optional(TeamsApp),
  }),
  replies: { 201: TeamsWorkspace },
  errors: ["conflict", "not_found"],
  summary: "Add a Teams workspace",
  description: `Create a bot in Azure with \`messaging_endpoint\`, set its id and secret with \`updateTeamsWorkspace\`, and connect an organization with \`createTeamsCode\`. A tenant has at most ${MAX_TEAMS_WORKSPACES} workspaces.`,
});

export const listTeamsWorkspacesRoute = route("GET /v1/teams/workspaces", {
  id: "listTeamsWorkspaces",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("workspaces", TeamsWorkspace) },
  summary: "List Teams workspaces",
});

export const getTeamsWorkspaceRoute = route("GET /v1/teams/workspaces/{id}", {
  id: "getTeamsWorkspace",
  replies: { 200: TeamsWorkspace },
  summary: "Get a Teams workspace",
});

export const updateTeamsWorkspaceRoute = route("PATCH /v1/teams/workspaces/{id}", {
  id: "updateTeamsWorkspace",
  body: v.partial(v.strictObject({ ...settings, enabled: v.boolean() })),
  replies: { 200: TeamsWorkspace },
  summary: "Change a Teams workspace",
});

export const deleteTeamsWorkspaceRoute = route("DELETE /v1/teams/workspaces/{id}", {
  id: "deleteTeamsWorkspace",
  summary: "Remove a Teams workspace",
  description: "Its secret is deleted, and requests to its address get a 404. Conversations are kept.",
});

export const createTeamsCodeRoute = route("POST /v1/teams/workspaces/{id}/codes", {
  id: "createTeamsCode",
  keys: "refused",
  replies: { 201: v.object({ code: v.string(), expires_at: Timestamp }) },
  errors: ["conflict"],
  summary: "Create a code that connects a Teams organization",
  description:
    "Write `connect <code>` to the bot in Teams: the organization of the person who does is connected. The code is valid for 15 minutes and once, and replaces an earlier one. A workspace stays connected with its organization, so that a second code is refused with 409.",
});

const signedRoute = routeGroup({ group: "teams", auth: "teams-token" });

export const receiveTeamsActivityRoute = signedRoute("POST /v1/teams/{workspace_id}", {
  id: "receiveTeamsActivity",
  params: v.object({ workspace_id: PathId }),
  body: v.looseObject({}),
  anyContentType: true,
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
