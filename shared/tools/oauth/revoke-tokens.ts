import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { log } from "../../lib/log.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import type { StoredToolServer } from "../server-store.ts";
import { postForm } from "./access-token.ts";
import { openTokens } from "./sealed-tokens.ts";
import { deleteToken, listTokens, type StoredToken } from "./token-store.ts";

const REVOCATION_CONCURRENCY = 8;

/**
 * Revokes tokens at their authorization server (RFC 7009), if it has a revocation endpoint. A failure is only logged,
 * because the stored tokens are deleted in any case.
 */
export async function revokeAtIssuer(scope: TenantScope, server: StoredToolServer, token: StoredToken): Promise<void> {
  const endpoint = server.oauth?.revocation_endpoint;
  const tokens = endpoint ? await openTokens(scope, server, token) : null;
  if (!endpoint || !tokens) return;
  try {
    // Revoking a refresh token also revokes the access tokens of its grant.
    const form = tokens.refresh
      ? { token: tokens.refresh, token_type_hint: "refresh_token" }
      : { token: tokens.access, token_type_hint: "access_token" };
    await postForm(server, endpoint, form);
  } catch (error) {
    log.warn("token of tool server not revoked", { server_id: server.id, error });
  }
}

/** Deletes the stored tokens of one owner and revokes them at the authorization server. */
export async function revokeToken(scope: TenantScope, server: StoredToolServer, token: StoredToken): Promise<void> {
  await deleteToken(scope, token);
  await revokeAtIssuer(scope, server, token);
}

/** Deletes the stored tokens of all owners for a server and revokes them at the authorization server. */
export async function revokeAllTokens(scope: TenantScope, server: StoredToolServer): Promise<void> {
  if (!server.oauth) return;
  const tokens = await listTokens(scope, server.id);
  await mapConcurrent(tokens, (token) => revokeToken(scope, server, token), REVOCATION_CONCURRENCY);
}
