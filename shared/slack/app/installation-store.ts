import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { hashCredential } from "../../auth/credentials.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { keys } from "../../dynamodb/keys.ts";
import { absent, anyOf, ConditionFailed, equals, exists, TransactionFailed, type Write } from "../../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { sha256 } from "../../lib/hash.ts";
import { findWorkspace, workspaceChange } from "../../messengers/workspace-store.ts";
import { type StoredSlackWorkspace, slackWorkspaces } from "../workspace-store.ts";

/** Time within which the administrator must return from Slack. */
const INSTALLATION_TTL_SECONDS = 15 * 60;

/** Settings for the workspace of a started installation. It is stored under the user who started it. */
const PendingInstallation = v.object({
  name: v.nullable(v.string()),
  redirect_uri: v.string(),
  expires_at: v.string(),
});
type PendingInstallation = v.InferOutput<typeof PendingInstallation>;

const readInstallation = itemReader(PendingInstallation);

const keyOf = ({ tenantId, userId }: UserScope, state: string) =>
  keys.slackInstallation(tenantId, userId, sha256(state));

/** Returns a new OAuth state, of which only a hash is stored, and the write that stores the installation. */
export function newInstallation(member: UserScope, fields: Pick<PendingInstallation, "name" | "redirect_uri">) {
  const state = randomBytes(24).toString("base64url");
  const expires_at = timestamp(now() + INSTALLATION_TTL_SECONDS * 1_000);
  const write: Write = {
    put: {
      ...keyOf(member, state),
      discriminator: "slack-installation",
      ...fields,
      expires_at,
      ttl: expiresAfter(INSTALLATION_TTL_SECONDS),
    },
  };
  return { state, expires_at, write };
}

/**
 * Deletes and returns a started installation, so that it can be completed only once.
 * @returns null if the user has not started one with this state or it has expired
 */
export async function takeInstallation(member: UserScope, state: string): Promise<PendingInstallation | null> {
  try {
    const condition = exists();
    const item = await tenantTable(member).write({ delete: keyOf(member, state), condition });
    const installation = item && readInstallation(item);
    return installation && installation.expires_at > timestamp() ? installation : null;
  } catch (error) {
    if (error instanceof ConditionFailed) return null;
    throw error;
  }
}

/** Returns the tenant and the workspace in which the deployment's app is installed for a Slack team, or undefined. */
export async function findTeam(teamId: string) {
  const item = await systemTable().get(keys.slackTeam(hashCredential(teamId)), { consistent: true });
  return item && { tenantId: String(item.tenant_id), workspaceId: String(item.workspace_id) };
}

/**
 * Returns the write that binds a Slack team to a workspace. Fails with `conflict` if the team is bound to another
 * tenant or workspace.
 */
export const teamWrite = ({ tenantId }: TenantScope, teamId: string, workspaceId: string): Write => ({
  put: {
    ...keys.slackTeam(hashCredential(teamId)),
    discriminator: "slack-team",
    tenant_id: tenantId,
    workspace_id: workspaceId,
  },
  condition: anyOf([absent(), equals({ tenant_id: tenantId, workspace_id: workspaceId })], teamTaken),
});

/**
 * Returns the write that unbinds the team of a workspace, if it has the deployment's app. The write fails if the team is
 * bound to another workspace.
 */
export const teamRelease = ({ tenantId }: TenantScope, workspace: StoredSlackWorkspace): Write[] => {
  const { id, installed_at, team_id } = workspace;
  if (!installed_at || team_id === null) return [];
  const condition = anyOf([absent(), equals({ tenant_id: tenantId, workspace_id: id })]);
  return [{ delete: keys.slackTeam(hashCredential(team_id)), condition }];
};

/**
 * Deletes the tokens of a workspace after Slack has removed the app, and unbinds its team.
 * @param removedAtMs time of the removal in epoch milliseconds. A removal before the last installation is ignored,
 * because Slack repeats events for an hour
 */
export async function removeToken(scope: TenantScope, id: string, error: string, removedAtMs: number): Promise<void> {
  const workspace = await findWorkspace(slackWorkspaces, scope, id);
  if (!workspace || removedAtMs < Date.parse(workspace.installed_at ?? workspace.created_at)) return;
  const { sealed_token } = workspace;
  const change: Write = {
    ...workspaceChange(slackWorkspaces, scope, id, {
      error,
      sealed_token: null,
      sealed_refresh: null,
      token_expires_at: null,
    }),
    condition: equals({ sealed_token }),
  };
  try {
    await tenantTable(scope).transact([change, ...teamRelease(scope, workspace)]);
  } catch (failure) {
    // The app was installed again, or another event of the removal was faster.
    if (!(failure instanceof TransactionFailed)) throw failure;
  }
}

/** Returns the error for a Slack team in which another tenant has installed the app. */
export const teamTaken = () =>
  new ServiceError("conflict", "The app is installed in this workspace of Slack by another organization.");
