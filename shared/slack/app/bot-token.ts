import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { allOf, anyOf, equals, isPerformed, lacksAttribute, lessThan } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import { findWorkspace, recordWorkspaceError, workspaceChange } from "../../messengers/workspace-store.ts";
import { callAsApp, SlackError } from "../slack-client.ts";
import { openBotToken, openRefreshToken, sealTokens } from "../workspace-secrets.ts";
import { type StoredSlackWorkspace, slackWorkspaces } from "../workspace-store.ts";

/** Minimum remaining validity of a token. It is longer than any function runs. Slack issues tokens for 12 hours. */
const REFRESH_BEFORE_MS = 3_600_000;

/** Time for which one function owns the refresh of a token, because a refresh token can be used only once. */
const LEASE_MS = 30_000;
const POLL_INTERVAL_MS = 500;

const Refreshed = v.object({ access_token: v.string(), refresh_token: v.string(), expires_in: v.number() });

const remainingMs = ({ token_expires_at }: StoredSlackWorkspace) =>
  token_expires_at ? Date.parse(token_expires_at) - now() : Number.POSITIVE_INFINITY;

/**
 * Takes the lease for refreshing the given token.
 * @returns false if another function owns it or has already refreshed the token
 */
async function takeLease(scope: TenantScope, { id, sealed_refresh = null }: StoredSlackWorkspace): Promise<boolean> {
  return isPerformed(
    tenantTable(scope).write({
      ...workspaceChange(slackWorkspaces, scope, id, { refreshing_until: now() + LEASE_MS }),
      condition: allOf([
        equals({ sealed_refresh }),
        anyOf([lacksAttribute("refreshing_until"), lessThan({ refreshing_until: now() })]),
      ]),
    }),
  );
}

/**
 * Exchanges the refresh token for new tokens and stores them.
 * @throws SlackError after storing the reason for administrators if Slack refused the token
 */
async function refresh(scope: TenantScope, workspace: StoredSlackWorkspace): Promise<StoredSlackWorkspace> {
  const { id } = workspace;
  const refresh_token = await openRefreshToken(scope, workspace);
  try {
    const reply = await callAsApp("oauth.v2.access", { grant_type: "refresh_token", refresh_token });
    const tokens = v.safeParse(Refreshed, reply);
    if (!tokens.success) throw new SlackError("malformed_response");
    const changes = { ...(await sealTokens(scope, id, tokens.output, now())), refreshing_until: 0 };
    await tenantTable(scope).write(workspaceChange(slackWorkspaces, scope, id, changes));
    return { ...workspace, ...changes };
  } catch (error) {
    if (error instanceof SlackError && /^(?:invalid|token)_/.test(error.code)) {
      await recordWorkspaceError(slackWorkspaces, scope, id, error.code);
    }
    throw error;
  }
}

/**
 * Returns a bot token that is valid for at least as long as a function runs, or null if the workspace has none. A token
 * that expires soon is refreshed. Concurrent functions use the old token while it is valid for half an hour, or wait
 * for the new one.
 * @throws SlackError
 * @see https://docs.slack.dev/authentication/using-token-rotation
 */
export async function getBotToken(scope: TenantScope, workspace: StoredSlackWorkspace): Promise<string | null> {
  let current: StoredSlackWorkspace | undefined = workspace;
  for (
    const deadline = now() + LEASE_MS;
    current;
    current = await findWorkspace(slackWorkspaces, scope, workspace.id)
  ) {
    if (!current.sealed_refresh || remainingMs(current) > REFRESH_BEFORE_MS) return openBotToken(scope, current);
    if (await takeLease(scope, current)) return openBotToken(scope, await refresh(scope, current));
    if (remainingMs(current) > REFRESH_BEFORE_MS / 2) return openBotToken(scope, current);
    if (now() > deadline) throw new SlackError("token_expired");
    await sleep(POLL_INTERVAL_MS);
  }
  return null;
}
