import * as v from "valibot";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { type KeyOwner, userOwner } from "../../dynamodb/key-owner.ts";
import { keys } from "../../dynamodb/keys.ts";
import { allOf, equals, type Item, ignoreConditionFailed, isPerformed, lessThan } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import type { StoredToolServer } from "../server-store.ts";

/** Lease for refreshing a token. Other functions wait for the one that holds it. */
const REFRESH_LEASE_MS = 20_000;

const StoredToken = v.object({
  server_id: v.string(),
  owner: v.string(),
  issuer: v.string(),
  scope: v.nullable(v.string()),
  /** Expiry of the access token; null if the authorization server does not state it. */
  expires_at: v.nullable(v.string()),
  can_refresh: v.boolean(),
  sealed_tokens: v.string(),
  version: v.number(),
  refreshing_until: v.number(),
  created_at: v.string(),
});
export type StoredToken = v.InferOutput<typeof StoredToken>;

const readToken = itemReader(StoredToken);

/**
 * Returns the owner of a server's tokens: the tenant if an administrator signs in for all users, otherwise the user.
 */
export const tokenOwner = ({ auth }: Pick<StoredToolServer, "auth">, userId: string): KeyOwner =>
  auth.type === "oauth_tenant" ? "tenant" : userOwner(userId);

export async function findToken(member: UserScope, server: StoredToolServer): Promise<StoredToken | undefined> {
  const key = keys.toolToken(member.tenantId, server.id, tokenOwner(server, member.userId));
  const item = await tenantTable(member).get(key, { consistent: true });
  return item && readToken(item);
}

/** Returns the tokens that a user can use for the given servers: own ones, and those of the tenant. */
export async function findTokens(member: UserScope, servers: readonly StoredToolServer[]): Promise<StoredToken[]> {
  if (servers.length === 0) return [];
  const items = await batchGetAll(
    tenantTable(member),
    servers.map((server) => keys.toolToken(member.tenantId, server.id, tokenOwner(server, member.userId))),
    { consistent: true },
  );
  return items.map(readToken);
}

/**
 * Claims the refresh of tokens. Returns true for only one of several concurrent callers; false also if the tokens were
 * replaced since `version` was read.
 */
export async function claimRefresh(scope: TenantScope, { server_id, owner, version }: StoredToken): Promise<boolean> {
  return isPerformed(
    tenantTable(scope).write({
      update: keys.toolToken(scope.tenantId, server_id, owner as KeyOwner),
      set: { refreshing_until: now() + REFRESH_LEASE_MS },
      condition: allOf([equals({ version }), lessThan({ refreshing_until: now() })]),
    }),
  );
}

/** Deletes tokens, unless they were replaced since `version` was read. */
export async function deleteToken(scope: TenantScope, { server_id, owner, version }: StoredToken): Promise<void> {
  await tenantTable(scope)
    .write({
      delete: keys.toolToken(scope.tenantId, server_id, owner as KeyOwner),
      condition: equals({ version }),
    })
    .catch(ignoreConditionFailed);
}

/** Returns the table items of a user's own tokens for the given servers, without those of the tenant. */
export const findTokenItems = ({ tenantId, userId }: UserScope, serverIds: readonly string[]): Promise<Item[]> =>
  batchGetAll(
    tenantTable({ tenantId }),
    serverIds.map((id) => keys.toolToken(tenantId, id, userOwner(userId))),
    { consistent: true },
  );

/** Maximum number of tokens that are revoked when a server is deleted. */
const MAX_TOKENS = 1_000;

/** Returns the tokens of all owners for a server, at most `MAX_TOKENS`. */
export async function listTokens(scope: TenantScope, serverId: string): Promise<StoredToken[]> {
  const { pk } = keys.toolToken(scope.tenantId, serverId, "tenant");
  return (await tenantTable(scope).query({ pk, limit: MAX_TOKENS, consistent: true })).map(readToken);
}

export const readTokenItem = (item: Item): StoredToken => readToken(item);

/** Returns true if an access token has expired or expires within `marginMs`. Tokens without a known expiry never do. */
export const isExpired = ({ expires_at }: StoredToken, marginMs: number) =>
  expires_at !== null && Date.parse(expires_at) - marginMs <= now();

/** Returns true if a stored token can be used or refreshed without another sign-in. */
export const isUsable = (token: StoredToken | undefined): boolean =>
  token !== undefined && (token.can_refresh || !isExpired(token, 0));
