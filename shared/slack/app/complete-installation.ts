import * as v from "valibot";
import type { UserPrincipal } from "../../auth/principal.ts";
import type { Write } from "../../dynamodb/table.ts";
import { now, timestamp } from "../../lib/clock.ts";
import { invalidField, ServiceError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import {
  assertRoomForWorkspace,
  findWorkspace,
  newWorkspaceWrites,
  workspaceChange,
} from "../../messengers/workspace-store.ts";
import { callAsApp, SlackError } from "../slack-client.ts";
import { sealTokens } from "../workspace-secrets.ts";
import { type StoredSlackWorkspace, slackLookups, slackWorkspaces } from "../workspace-store.ts";
import { findTeam, takeInstallation, teamTaken, teamWrite } from "./installation-store.ts";

const Grant = v.object({
  token_type: v.literal("bot"),
  access_token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,1000}$/)),
  refresh_token: v.optional(v.string()),
  expires_in: v.optional(v.number()),
  bot_user_id: v.string(),
  team: v.object({ id: v.string(), name: v.string() }),
  is_enterprise_install: v.optional(v.literal(false)),
});

/**
 * Exchanges an authorization code for tokens.
 * @throws ServiceError `conflict` if Slack refuses the code
 */
async function exchangeCode(code: string, redirect_uri: string): Promise<v.InferOutput<typeof Grant>> {
  try {
    const grant = v.safeParse(Grant, await callAsApp("oauth.v2.access", { code, redirect_uri }));
    if (grant.success) return grant.output;
    throw new ServiceError(
      "conflict",
      "Slack installed no bot in a workspace. Organizations as a whole are not supported.",
    );
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    throw new ServiceError("conflict", `Slack refused the installation (${error.code}). Start it again.`);
  }
}

/** Workspace after an installation, and the writes that store it. */
interface Installed {
  readonly workspace: StoredSlackWorkspace;
  readonly writes: Write[];
}

/**
 * Completes an installation with the query parameters with which Slack redirects the administrator back. If the app was
 * installed in the workspace before, the tokens are replaced.
 * @throws ServiceError `validation_failed` if the user has not started this installation, `conflict` if another tenant
 * has the workspace
 */
export async function completeInstallation(
  principal: UserPrincipal,
  { state, code, error }: { readonly state: string; readonly code?: string; readonly error?: string },
): Promise<Installed> {
  const pending = await takeInstallation(principal, state);
  if (!pending) {
    const message = "is unknown, used or expired; start the installation again";
    throw invalidField("state", "unknown", message);
  }
  if (code === undefined) throw new ServiceError("conflict", `Slack installed nothing (${error ?? "no code"}).`);
  const { team, bot_user_id, access_token, refresh_token, expires_in } = await exchangeCode(code, pending.redirect_uri);
  const bound = await findTeam(team.id);
  if (bound && bound.tenantId !== principal.tenantId) throw teamTaken();
  const previous = bound && (await findWorkspace(slackWorkspaces, principal, bound.workspaceId));
  const id = bound?.workspaceId ?? newId();
  const changes = {
    team_id: team.id,
    team_name: team.name,
    bot_user_id,
    error: null,
    installed_at: timestamp(),
    ...(await sealTokens(principal, id, { access_token, refresh_token, expires_in }, now())),
  };
  const binding = teamWrite(principal, team.id, id);
  if (previous) {
    const writes = [workspaceChange(slackWorkspaces, principal, id, changes), binding];
    return { workspace: { ...previous, ...changes }, writes };
  }
  await assertRoomForWorkspace(slackWorkspaces, principal);
  const workspace = {
    id,
    name: pending.name ?? team.name,
    persona_id: null,
    enabled: true,
    sealed_secret: null,
    created_at: timestamp(),
    ...changes,
  };
  return { workspace, writes: [...newWorkspaceWrites(slackWorkspaces, slackLookups, principal, workspace), binding] };
}
