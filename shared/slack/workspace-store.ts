import * as v from "valibot";
import type { MessengerWorkspace } from "../api/messengers/workspaces.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { type WorkspaceItems, type WorkspaceLookups, workspaceFields } from "../messengers/workspace-store.ts";
import { toSlackManifest } from "./manifest.ts";

const StoredSlackWorkspace = v.object({
  ...workspaceFields,
  team_id: v.nullable(v.string()),
  team_name: v.nullable(v.string()),
  /** Id of the app's bot user in Slack. */
  bot_user_id: v.nullable(v.string()),
  /** Bot token and signing secret, encrypted with the id of the workspace as context. */
  sealed_token: v.nullable(v.string()),
  sealed_secret: v.nullable(v.string()),
  /** Time at which the deployment's app was installed; absent for a workspace with its own app. */
  installed_at: v.optional(v.nullable(v.string())),
  sealed_refresh: v.optional(v.nullable(v.string())),
  token_expires_at: v.optional(v.nullable(v.string())),
  /** Epoch milliseconds until which a function owns the refresh of the token. */
  refreshing_until: v.optional(v.number()),
});
export type StoredSlackWorkspace = v.InferOutput<typeof StoredSlackWorkspace>;

/** Workspaces of Slack in the table, for the functions of `messengers/workspace-store.ts`. */
export const slackWorkspaces: WorkspaceItems<StoredSlackWorkspace> = {
  keyOf: keys.slackWorkspace,
  discriminator: "slack-workspace",
  read: itemReader(StoredSlackWorkspace),
  unset: { team_id: null, team_name: null, bot_user_id: null, sealed_token: null, sealed_secret: null },
  toReply: toSlackWorkspace,
};

export const slackLookups: WorkspaceLookups = { keyOf: keys.slackLookup, discriminator: "slack-lookup" };

function statusOf(workspace: StoredSlackWorkspace): MessengerWorkspace["status"] {
  const { enabled, error, sealed_token, sealed_secret, installed_at } = workspace;
  if (!enabled) return "disabled";
  if (error !== null) return "failed";
  return sealed_token === null || (sealed_secret === null && !installed_at) ? "incomplete" : "ready";
}

function toSlackWorkspace(workspace: StoredSlackWorkspace, baseUrl: string): MessengerWorkspace {
  const { id, name, persona_id, enabled, team_id, team_name, error, created_at } = workspace;
  const installed = Boolean(workspace.installed_at);
  const request_url = `${baseUrl}/v1/slack/${installed ? "events" : id}`;
  const manifest = toSlackManifest(name, request_url);
  const organization = { organization_id: team_id, organization_name: team_name, app_id: null, app_tenant_id: null };
  const state = { status: statusOf(workspace), enabled, installed, ...organization, error };
  return { id, messenger: "slack", name, persona_id, ...state, request_url, manifest, created_at };
}
