import { verifyWithAny } from "../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../auth/app-secret.ts";
import { decrypt, encrypt } from "../auth/encryption.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";
import type { EnteredCredentials } from "../messengers/workspace-store.ts";
import { callSlack, SlackError } from "./slack-client.ts";
import type { StoredSlackWorkspace } from "./workspace-store.ts";

type SecretName = "sealed_token" | "sealed_secret" | "sealed_refresh";

const purposeOf = ({ tenantId }: TenantScope, id: string, name: SecretName) => `slack:${tenantId}:${id}:${name}`;

async function seal(scope: TenantScope, id: string, name: SecretName, text: string): Promise<string> {
  return encrypt((await loadAppSecrets()).current, purposeOf(scope, id, name), text);
}

async function open(scope: TenantScope, workspace: StoredSlackWorkspace, name: SecretName): Promise<string | null> {
  const sealed = workspace[name];
  if (!sealed) return null;
  const { all } = await loadAppSecrets();
  return verifyWithAny(all, (appSecret) => decrypt(appSecret, purposeOf(scope, workspace.id, name), sealed)) ?? null;
}

/**
 * Returns the decrypted signing secret of a workspace. Null if there is none, or if it must be entered again because
 * its encryption secret was removed.
 */
export const openSigningSecret = (scope: TenantScope, workspace: StoredSlackWorkspace) =>
  open(scope, workspace, "sealed_secret");

/**
 * Returns the decrypted bot token of a workspace. Null if there is none, or if it must be entered again because its
 * encryption secret was removed.
 */
export const openBotToken = (scope: TenantScope, workspace: StoredSlackWorkspace) =>
  open(scope, workspace, "sealed_token");

/**
 * Returns the decrypted refresh token of the deployment's app. Null if there is none or its encryption secret was
 * removed.
 */
export const openRefreshToken = (scope: TenantScope, workspace: StoredSlackWorkspace) =>
  open(scope, workspace, "sealed_refresh");

/** Tokens in the form in which Slack issues them. Without token rotation, there is no refresh token and no expiry. */
interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
}

/**
 * Encrypts the tokens of an installed app.
 * @returns the attributes of the workspace to store
 */
export async function sealTokens(
  scope: TenantScope,
  id: string,
  { access_token, refresh_token, expires_in }: IssuedTokens,
  issuedAtMs: number,
) {
  return {
    sealed_token: await seal(scope, id, "sealed_token", access_token),
    sealed_refresh: refresh_token === undefined ? null : await seal(scope, id, "sealed_refresh", refresh_token),
    token_expires_at: expires_in === undefined ? null : timestamp(issuedAtMs + expires_in * 1_000),
  };
}

/**
 * Returns the team and the bot user of a token.
 * @throws ServiceError `validation_failed` if Slack refuses the token
 */
async function identifyBot(token: string) {
  try {
    const { team_id, team, user_id } = await callSlack(token, "auth.test", {});
    return { team_id: String(team_id), team_name: String(team), bot_user_id: String(user_id) };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    const message = `was refused by Slack (${error.code})`;
    throw invalidField("bot_token", "refused", message);
  }
}

/**
 * Verifies and encrypts the secrets of a workspace.
 * @param workspace workspace as it is stored, or null for a new one
 * @returns the attributes of the workspace to store
 * @throws ServiceError `validation_failed` if Slack refuses the token, `conflict` if it belongs to another team or the
 * workspace has the app of the deployment
 */
export async function sealSecrets(
  scope: TenantScope,
  id: string,
  { bot_token, signing_secret }: EnteredCredentials,
  workspace: StoredSlackWorkspace | null,
): Promise<Partial<StoredSlackWorkspace>> {
  if (workspace?.installed_at && (bot_token ?? signing_secret) !== undefined) {
    throw new ServiceError("conflict", "The workspace has the app of the deployment, whose secrets are not set here.");
  }
  const bot = bot_token === undefined ? null : await identifyBot(bot_token);
  if (bot && bot.team_id !== (workspace?.team_id ?? bot.team_id)) {
    throw new ServiceError("conflict", "The token belongs to another team of Slack. Add a workspace for it.");
  }
  return {
    ...(bot && { ...bot, error: null, sealed_token: await seal(scope, id, "sealed_token", bot_token ?? "") }),
    ...(signing_secret !== undefined && {
      sealed_secret: await seal(scope, id, "sealed_secret", signing_secret),
    }),
  };
}
