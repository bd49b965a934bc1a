import * as v from "valibot";
import { MAX_SLACK_WORKSPACES, type SlackWorkspace } from "../api/slack/workspaces.ts";
import { hashCredential } from "../auth/credentials.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, equals, exists, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { toSlackManifest } from "./manifest.ts";

export const slackWorkspaceAccess = itemAccess("slackWorkspace", "get", "query", "put", "update", "delete");
export const slackLookupAccess = itemAccess("slackLookup", "get", "put", "delete");

const StoredWorkspace = v.object({
  id: v.string(),
  name: v.string(),
  persona_id: v.nullable(v.string()),
  enabled: v.boolean(),
  team_id: v.nullable(v.string()),
  team_name: v.nullable(v.string()),
  /** Id of the app's bot user in Slack. */
  bot_user_id: v.nullable(v.string()),
  error: v.nullable(v.string()),
  /** Bot token and signing secret, encrypted with the id of the workspace as context. */
  sealed_token: v.nullable(v.string()),
  sealed_secret: v.nullable(v.string()),
  /** Time at which the deployment's app was installed; absent for a workspace with its own app. */
  installed_at: v.optional(v.nullable(v.string())),
  sealed_refresh: v.optional(v.nullable(v.string())),
  token_expires_at: v.optional(v.nullable(v.string())),
  /** Epoch milliseconds until which a function owns the refresh of the token. */
  refreshing_until: v.optional(v.number()),
  created_at: v.string(),
});
export type StoredWorkspace = v.InferOutput<typeof StoredWorkspace>;

const readWorkspace = itemReader(StoredWorkspace);

function statusOf(workspace: StoredWorkspace): SlackWorkspace["status"] {
  const { enabled, error, sealed_token, sealed_secret, installed_at } = workspace;
  if (!enabled) return "disabled";
  if (error !== null) return "failed";
  return sealed_token === null || (sealed_secret === null && !installed_at) ? "incomplete" : "ready";
}

/** Returns the fields of a workspace that clients receive, with the manifest of its app and without its secrets. */
export function toSlackWorkspace(workspace: StoredWorkspace, baseUrl: string): SlackWorkspace {
  const { id, name, persona_id, enabled, team_id, team_name, error, created_at } = workspace;
  const installed = Boolean(workspace.installed_at);
  const request_url = `${baseUrl}/v1/slack/${installed ? "events" : id}`;
  const manifest = toSlackManifest(name, request_url);
  const state = { status: statusOf(workspace), enabled, team_id, team_name, error };
  return { id, name, persona_id, installed, ...state, request_url, manifest, created_at };
}

export const newWorkspaceWrites = (scope: TenantScope, workspace: StoredWorkspace): Write[] => [
  {
    put: {
      ...keys.slackWorkspace(scope.tenantId, workspace.id),
      discriminator: "slack-workspace",
      timestamp: now(),
      ...workspace,
    },
    condition: absent(),
  },
  {
    put: {
      ...keys.slackLookup(hashCredential(workspace.id)),
      discriminator: "slack-lookup",
      tenant_id: scope.tenantId,
    },
  },
];

/** @throws ServiceError `conflict` if the tenant already has the maximum number of workspaces */
export async function assertRoomForWorkspace(scope: TenantScope): Promise<void> {
  const { pk } = keys.slackWorkspace(scope.tenantId, "");
  const stored = await tenantTable(scope).query({ pk, limit: MAX_SLACK_WORKSPACES });
  if (stored.length < MAX_SLACK_WORKSPACES) return;
  throw new ServiceError("conflict", `There are ${MAX_SLACK_WORKSPACES} workspaces already; remove one first.`);
}

export async function findWorkspace(scope: TenantScope, id: string): Promise<StoredWorkspace | undefined> {
  const item = await tenantTable(scope).get(keys.slackWorkspace(scope.tenantId, id), { consistent: true });
  return item && readWorkspace(item);
}

/** @throws ServiceError `not_found` */
export async function getWorkspace(scope: TenantScope, id: string): Promise<StoredWorkspace> {
  const workspace = await findWorkspace(scope, id);
  if (!workspace) throw notFound();
  return workspace;
}

/**
 * Returns the workspace with an id, of any tenant, and that tenant; undefined if there is none. Requests of Slack name
 * no tenant.
 */
export async function findWorkspaceOfAnyTenant(id: string) {
  const lookup = await systemTable().get(keys.slackLookup(hashCredential(id)));
  if (!lookup) return undefined;
  const scope = { tenantId: String(lookup.tenant_id) };
  const workspace = await findWorkspace(scope, id);
  return workspace && { ...scope, workspace };
}

/**
 * Lists the tenant's workspaces in the order of their ids.
 * @throws ServiceError `invalid_cursor`
 */
export async function listWorkspaces(scope: TenantScope, request: PageRequest): Promise<Page<StoredWorkspace>> {
  const { pk } = keys.slackWorkspace(scope.tenantId, "");
  const { entries, next } = await listPage(scope, { list: "slack-workspaces", pk }, request);
  return { entries: entries.map(readWorkspace), next };
}

/** Returns the write that changes a workspace. Fails with `not_found` if it was removed. */
export const workspaceChange = (scope: TenantScope, id: string, set: Partial<StoredWorkspace>): Write => ({
  update: keys.slackWorkspace(scope.tenantId, id),
  set: { ...set, timestamp: now() },
  condition: exists(notFound),
});

export const workspaceDeletion = (scope: TenantScope, id: string): Write[] => [
  {
    delete: keys.slackWorkspace(scope.tenantId, id),
    condition: exists(notFound),
  },
  {
    delete: keys.slackLookup(hashCredential(id)),
    condition: equals({ tenant_id: scope.tenantId }),
  },
];

/** Stores the error code with which Slack refused the token. Does nothing if the workspace was removed. */
export async function recordSlackError(scope: TenantScope, id: string, error: string): Promise<void> {
  const change = { ...workspaceChange(scope, id, { error }), condition: exists() };
  await tenantTable(scope).write(change).catch(ignoreConditionFailed);
}
