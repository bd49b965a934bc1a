import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, lineOf, PathId, pageOf, Timestamp } from "../fields.ts";
import { JsonObject } from "../json.ts";

export const MAX_TEAMS_WORKSPACES = 20;

const Uuid = v.pipe(v.string(), v.uuid(), v.toLowerCase());

/** App registration of the Azure Bot that answers in Teams, with its credentials. */
const TeamsApp = v.pipe(
  v.strictObject({
    id: v.pipe(Uuid, v.description("The Microsoft App ID of the bot.")),
    tenant_id: v.pipe(
      v.optional(v.nullable(Uuid), null),
      v.description("The directory (Entra tenant) of a bot for a single tenant; null for a multi-tenant bot."),
    ),
    secret: v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description("A client secret of the app.")),
  }),
  v.description("The bot. Its secret is verified with Microsoft, stored encrypted, and no response contains it."),
);

/** Organization of Microsoft Teams with a bot that answers in it. */
export const TeamsWorkspace = v.object({
  id: Id,
  name: v.string(),
  status: v.pipe(
    v.picklist(["incomplete", "unconnected", "ready", "disabled", "failed"]),
    v.description(
      "`incomplete` until the app is set; `unconnected` until an administrator has sent a code to the bot in Teams; `failed` if Microsoft refused the secret, see `error`.",
    ),
  ),
  persona_id: v.pipe(v.nullable(Id), v.description("The persona of conversations that start in the workspace.")),
  enabled: v.boolean(),
  app_id: v.nullable(v.string()),
  app_tenant_id: v.nullable(v.string()),
  teams_tenant_id: v.pipe(
    v.nullable(v.string()),
    v.description("The organization (Entra tenant) that is connected. Messages of others are ignored."),
  ),
  error: v.pipe(v.nullable(v.string()), v.description("The code with which Microsoft last refused the secret.")),
  messaging_endpoint: v.pipe(v.string(), v.description("The messaging endpoint of the bot in Azure.")),
  manifest: v.pipe(
    v.nullable(JsonObject),
    v.description("The manifest of the app for Teams; null until the app is set."),
  ),
  created_at: Timestamp,
});
export type TeamsWorkspace = v.InferOutput<typeof TeamsWorkspace>;

const administration = { group: "teams", auth: "jwt", capability: "webhook.manage" } as const;

const settings = { name: lineOf(30), persona_id: v.nullable(Id), app: TeamsApp };

export const createTeamsWorkspaceRoute = defineRoute({
  ...administration,
  id: "createTeamsWorkspace",
  method: "POST",
  path: "/v1/teams/workspaces",
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

export const listTeamsWorkspacesRoute = defineRoute({
  ...administration,
  id: "listTeamsWorkspaces",
  method: "GET",
  path: "/v1/teams/workspaces",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("workspaces", TeamsWorkspace) },
  errors: ["invalid_cursor"],
  summary: "List Teams workspaces",
});

export const getTeamsWorkspaceRoute = defineRoute({
  ...administration,
  id: "getTeamsWorkspace",
  method: "GET",
  path: "/v1/teams/workspaces/{id}",
  params: IdParams,
  replies: { 200: TeamsWorkspace },
  errors: ["not_found"],
  summary: "Get a Teams workspace",
});

export const updateTeamsWorkspaceRoute = defineRoute({
  ...administration,
  id: "updateTeamsWorkspace",
  method: "PATCH",
  path: "/v1/teams/workspaces/{id}",
  params: IdParams,
  body: v.partial(v.strictObject({ ...settings, enabled: v.boolean() })),
  replies: { 200: TeamsWorkspace },
  errors: ["not_found"],
  summary: "Change a Teams workspace",
});

export const deleteTeamsWorkspaceRoute = defineRoute({
  ...administration,
  id: "deleteTeamsWorkspace",
  method: "DELETE",
  path: "/v1/teams/workspaces/{id}",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found"],
  summary: "Remove a Teams workspace",
  description: "Its secret is deleted, and requests to its address get a 404. Conversations are kept.",
});

export const createTeamsCodeRoute = defineRoute({
  ...administration,
  id: "createTeamsCode",
  keys: "refused",
  method: "POST",
  path: "/v1/teams/workspaces/{id}/codes",
  params: IdParams,
  replies: { 201: v.object({ code: v.string(), expires_at: Timestamp }) },
  errors: ["not_found", "conflict"],
  summary: "Create a code that connects a Teams organization",
  description:
    "Write `connect <code>` to the bot in Teams: the organization of the person who does is connected. The code is valid for 15 minutes and once, and replaces an earlier one. A workspace stays connected with its organization, so that a second code is refused with 409.",
});

export const receiveTeamsActivityRoute = defineRoute({
  id: "receiveTeamsActivity",
  group: "teams",
  method: "POST",
  path: "/v1/teams/{workspace_id}",
  params: v.object({ workspace_id: PathId }),
  auth: "teams-token",
  body: v.looseObject({}),
  anyContentType: true,
  replies: {
    200: v.object({
      statusCode: v.optional(v.number()),
      type: v.optional(v.string()),
      value: v.pipe(v.optional(v.string()), v.description("The text that a person sees who has pressed a button.")),
    }),
  },
  errors: ["not_found"],
  summary: "Receive an activity of Teams",
  description:
    "The messaging endpoint of a bot (Bot Framework). The token is one of the Bot Connector service for this bot, signed with a key that is endorsed for Teams, and names the address that answers are sent to. A mention, a message in a chat with the bot, or a message in a thread of the bot is answered after the response; a repeated delivery changes nothing.",
});
