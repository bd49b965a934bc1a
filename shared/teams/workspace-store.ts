import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { MAX_TEAMS_WORKSPACES, type TeamsWorkspace } from "../api/teams/workspaces.ts";
import { hashCredential } from "../auth/credentials.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import {
  absent,
  allOf,
  ConditionFailed,
  equals,
  exists,
  greaterThan,
  ignoreConditionFailed,
  type Write,
} from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import { toTeamsManifest } from "./manifest.ts";

export const teamsWorkspaceAccess = itemAccess("teamsWorkspace", "get", "query", "put", "update", "delete");
export const teamsLookupAccess = itemAccess("teamsLookup", "get", "put", "delete");

/** Validity of the code that an administrator sends to the bot, in milliseconds. */
const CODE_TTL_MS = 15 * 60_000;

const StoredWorkspace = v.object({
  id: v.string(),
  name: v.string(),
  persona_id: v.nullable(v.string()),
  enabled: v.boolean(),
  app_id: v.nullable(v.string()),
  /** Microsoft Entra tenant of a single-tenant bot; null for a multi-tenant bot. */
  app_tenant_id: v.nullable(v.string()),
  /** Client secret of the app, encrypted with the id of the workspace as context. */
  sealed_secret: v.nullable(v.string()),
  teams_tenant_id: v.nullable(v.string()),
  /** Base URL for messages that are not responses to an activity, such as alerts. */
  service_url: v.nullable(v.string()),
  error: v.nullable(v.string()),
  code_hash: v.optional(v.nullable(v.string())),
  code_expires_at: v.optional(v.nullable(v.string())),
  created_at: v.string(),
});
export type StoredWorkspace = v.InferOutput<typeof StoredWorkspace>;

const readWorkspace = itemReader(StoredWorkspace);

function statusOf({ enabled, error, app_id, teams_tenant_id }: StoredWorkspace): TeamsWorkspace["status"] {
  if (!enabled) return "disabled";
  if (error !== null) return "failed";
  if (app_id === null) return "incomplete";
  return teams_tenant_id === null ? "unconnected" : "ready";
}

/** Returns the fields of a workspace that clients receive, with the manifest of its app and without its secret. */
export function toTeamsWorkspace(workspace: StoredWorkspace, baseUrl: string): TeamsWorkspace {
  const { id, name, persona_id, enabled, app_id, app_tenant_id, teams_tenant_id, error, created_at } = workspace;
  const manifest = app_id === null ? null : toTeamsManifest(name, app_id, baseUrl);
  const messaging_endpoint = `${baseUrl}/v1/teams/${id}`;
  const state = { status: statusOf(workspace), enabled, app_id, app_tenant_id, teams_tenant_id, error };
  return { id, name, persona_id, ...state, messaging_endpoint, manifest, created_at };
}

export const newWorkspaceWrites = (scope: TenantScope, workspace: StoredWorkspace): Write[] => [
  {
    put: {
      ...keys.teamsWorkspace(scope.tenantId, workspace.id),
      discriminator: "teams-workspace",
      timestamp: now(),
      ...workspace,
    },
    condition: absent(),
  },
  {
    put: {
      ...keys.teamsLookup(hashCredential(workspace.id)),
      discriminator: "teams-lookup",
      tenant_id: scope.tenantId,
    },
  },
];

/** @throws ServiceError `conflict` if the tenant already has the maximum number of workspaces */
export async function assertRoomForWorkspace(scope: TenantScope): Promise<void> {
  const { pk } = keys.teamsWorkspace(scope.tenantId, "");
  const stored = await tenantTable(scope).query({ pk, limit: MAX_TEAMS_WORKSPACES });
  if (stored.length < MAX_TEAMS_WORKSPACES) return;
  throw new ServiceError("conflict", `There are ${MAX_TEAMS_WORKSPACES} workspaces already; remove one first.`);
}

export async function findWorkspace(scope: TenantScope, id: string): Promise<StoredWorkspace | undefined> {
  const item = await tenantTable(scope).get(keys.teamsWorkspace(scope.tenantId, id), { consistent: true });
  return item && readWorkspace(item);
}

/** @throws ServiceError `not_found` */
export async function getWorkspace(scope: TenantScope, id: string): Promise<StoredWorkspace> {
  const workspace = await findWorkspace(scope, id);
  if (!workspace) throw notFound();
  return workspace;
}

/** @throws ServiceError `not_found`, or `conflict` if no Teams organization is connected */
export async function getConnectedWorkspace(scope: TenantScope, id: string): Promise<StoredWorkspace> {
  const workspace = await getWorkspace(scope, id);
  if (workspace.teams_tenant_id !== null) return workspace;
  throw new ServiceError("conflict", "Connect an organization of Teams with the workspace first.");
}

/**
 * Returns the workspace with an id, of any tenant, and that tenant; undefined if there is none. Requests of Teams name
 * no tenant.
 */
export async function findWorkspaceOfAnyTenant(id: string) {
  const lookup = await systemTable().get(keys.teamsLookup(hashCredential(id)));
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
  const { pk } = keys.teamsWorkspace(scope.tenantId, "");
  const { entries, next } = await listPage(scope, { list: "teams-workspaces", pk }, request);
  return { entries: entries.map(readWorkspace), next };
}

/** Returns the write that changes a workspace. Fails with `not_found` if it was removed. */
export const workspaceChange = (scope: TenantScope, id: string, set: Partial<StoredWorkspace>): Write => ({
  update: keys.teamsWorkspace(scope.tenantId, id),
  set: { ...set, timestamp: now() },
  condition: exists(notFound),
});

export const workspaceDeletion = (scope: TenantScope, id: string): Write[] => [
  {
    delete: keys.teamsWorkspace(scope.tenantId, id),
    condition: exists(notFound),
  },
  {
    delete: keys.teamsLookup(hashCredential(id)),
    condition: equals({ tenant_id: scope.tenantId }),
  },
];

/** Stores the error code with which Microsoft refused the secret. Does nothing if the workspace was removed. */
export async function recordTeamsError(scope: TenantScope, id: string, error: string): Promise<void> {
  const change = { ...workspaceChange(scope, id, { error }), condition: exists() };
  await tenantTable(scope).write(change).catch(ignoreConditionFailed);
}

/**
 * Returns a new code that connects a Teams organization, and the write that stores its hash.
 * @throws ServiceError `conflict` if the workspace is already connected
 */
export function newCode(scope: TenantScope, { id, teams_tenant_id }: StoredWorkspace) {
  if (teams_tenant_id !== null) {
    throw new ServiceError("conflict", "The workspace is connected. Add another one for another organization.");
  }
  const code = randomBytes(18).toString("base64url");
  const expires_at = timestamp(now() + CODE_TTL_MS);
  return {
    code,
    expires_at,
    write: workspaceChange(scope, id, { code_hash: sha256(code), code_expires_at: expires_at }),
  };
}

/**
 * Connects the Teams organization from which the code was sent.
 * @returns false if the code is unknown, used or expired
 */
export async function connectOrganization(
  scope: TenantScope,
  id: string,
  code: string,
  organization: Pick<StoredWorkspace, "teams_tenant_id" | "service_url">,
): Promise<boolean> {
  try {
    await tenantTable(scope).write({
      ...workspaceChange(scope, id, { ...organization, code_hash: null, code_expires_at: null }),
      condition: allOf([
        equals({ code_hash: sha256(code) }),
        greaterThan({ code_expires_at: timestamp() }),
        equals({ teams_tenant_id: null }),
      ]),
    });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
