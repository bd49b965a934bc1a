import { randomBytes } from "node:crypto";
import * as v from "valibot";
import type { MessengerWorkspace } from "../api/messengers/workspaces.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { allOf, equals, greaterThan, isPerformed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now, timestamp } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { sha256 } from "../lib/hash.ts";
import {
  getWorkspace,
  type WorkspaceItems,
  type WorkspaceLookups,
  workspaceChange,
  workspaceFields,
} from "../messengers/workspace-store.ts";
import { toTeamsManifest } from "./manifest.ts";

/** Validity of the code that an administrator sends to the bot, in milliseconds. */
const CODE_TTL_MS = 15 * 60_000;

const StoredTeamsWorkspace = v.object({
  ...workspaceFields,
  app_id: v.nullable(v.string()),
  /** Microsoft Entra tenant of a single-tenant bot; null for a multi-tenant bot. */
  app_tenant_id: v.nullable(v.string()),
  /** Client secret of the app, encrypted with the id of the workspace as context. */
  sealed_secret: v.nullable(v.string()),
  teams_tenant_id: v.nullable(v.string()),
  /** Base URL for messages that are not responses to an activity, such as alerts. */
  service_url: v.nullable(v.string()),
  code_hash: v.optional(v.nullable(v.string())),
  code_expires_at: v.optional(v.nullable(v.string())),
});
export type StoredTeamsWorkspace = v.InferOutput<typeof StoredTeamsWorkspace>;

/** Workspaces of Teams in the table, for the functions of `messengers/workspace-store.ts`. */
export const teamsWorkspaces: WorkspaceItems<StoredTeamsWorkspace> = {
  keyOf: keys.teamsWorkspace,
  discriminator: "teams-workspace",
  read: itemReader(StoredTeamsWorkspace),
  unset: { app_id: null, app_tenant_id: null, sealed_secret: null, teams_tenant_id: null, service_url: null },
  toReply: toTeamsWorkspace,
};

export const teamsLookups: WorkspaceLookups = { keyOf: keys.teamsLookup, discriminator: "teams-lookup" };

function statusOf({ enabled, error, app_id, teams_tenant_id }: StoredTeamsWorkspace): MessengerWorkspace["status"] {
  if (!enabled) return "disabled";
  if (error !== null) return "failed";
  if (app_id === null) return "incomplete";
  return teams_tenant_id === null ? "unconnected" : "ready";
}

function toTeamsWorkspace(workspace: StoredTeamsWorkspace, baseUrl: string): MessengerWorkspace {
  const { id, name, persona_id, enabled, app_id, app_tenant_id, teams_tenant_id, error, created_at } = workspace;
  const manifest = app_id === null ? null : toTeamsManifest(name, app_id, baseUrl);
  const request_url = `${baseUrl}/v1/teams/${id}`;
  const organization = { organization_id: teams_tenant_id, organization_name: null, app_id, app_tenant_id };
  const state = { status: statusOf(workspace), enabled, installed: false, ...organization, error };
  return { id, messenger: "teams", name, persona_id, ...state, request_url, manifest, created_at };
}

/** @throws ServiceError `not_found`, or `conflict` if no Teams organization is connected */
export async function getConnectedWorkspace(scope: TenantScope, id: string): Promise<StoredTeamsWorkspace> {
  const workspace = await getWorkspace(teamsWorkspaces, scope, id);
  if (workspace.teams_tenant_id !== null) return workspace;
  throw new ServiceError("conflict", "Connect an organization of Teams with the workspace first.");
}

/**
 * Returns a new code that connects a Teams organization, and the write that stores its hash.
 * @throws ServiceError `conflict` if the workspace is already connected
 */
export function newCode(scope: TenantScope, { id, teams_tenant_id }: StoredTeamsWorkspace) {
  if (teams_tenant_id !== null) {
    throw new ServiceError("conflict", "The workspace is connected. Add another one for another organization.");
  }
  const code = randomBytes(18).toString("base64url");
  const expires_at = timestamp(now() + CODE_TTL_MS);
  return {
    code,
    expires_at,
    write: workspaceChange(teamsWorkspaces, scope, id, { code_hash: sha256(code), code_expires_at: expires_at }),
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
  organization: Pick<StoredTeamsWorkspace, "teams_tenant_id" | "service_url">,
): Promise<boolean> {
  return isPerformed(
    tenantTable(scope).write({
      ...workspaceChange(teamsWorkspaces, scope, id, { ...organization, code_hash: null, code_expires_at: null }),
      condition: allOf([
        equals({ code_hash: sha256(code) }),
        greaterThan({ code_expires_at: timestamp() }),
        equals({ teams_tenant_id: null }),
      ]),
    }),
  );
}
