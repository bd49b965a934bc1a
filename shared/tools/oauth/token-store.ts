import * as v from "valibot";
import { itemAccess } from "../../dynamodb/access.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { type KeyOwner, userOwner } from "../../dynamodb/key-owner.ts";
import { keys } from "../../dynamodb/keys.ts";
import { allOf, ConditionFailed, equals, type Item, lessThan } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { now } from "../../lib/clock.ts";
import type { StoredToolServer } from "../server-store.ts";

export const toolTokenAccess = itemAccess("toolToken", "get", "getMany", "query", "put", "update", "delete");

/** Time for which one function may refresh a token while others wait. */
const REFRESH_LEASE_MS = 20_000;

const StoredToken = v.object({
  server_id: v.string(),
  owner: v.string(),
  issuer: v.string(),
  scope: v.nullable(v.string()),
  /** Null if the authorization server names no expiry. */
  expires_at: v.nullable(v.string()),
  can_refresh: v.boolean(),
  sealed_tokens: v.string(),
  version: v.number(),
  refreshing_until: v.optional(v.number(), 0),
  created_at: v.string(),
});
export type StoredToken = v.InferOutput<typeof StoredToken>;

const readToken = itemReader(StoredToken);

/** Returns the owner of the tokens of a server: the user, or the tenant. */
export const tokenOwner = ({ auth }: Pick<StoredToolServer, "auth">, userId: string): KeyOwner =>
  auth.type === "oauth_tenant" ? "tenant" : userOwner(userId);

export async function findToken(member: UserScope, server: StoredToolServer): Promise<StoredToken | undefined> {
  const key = keys.toolToken(member.tenantId, server.id, tokenOwner(server, member.userId));
  const item = await tenantTable(member).get(key, { consistent: true });
  return item && readToken(item);
}

/** Returns the tokens that a user has for some servers: own ones, and those of the tenant. */
export async function findTokens(member: UserScope, servers: readonly StoredToolServer[]): Promise<StoredToken[]> {
  if (servers.length === 0) return [];
  const items = await batchGetAll(
    tenantTable(member),
    servers.map((server) => keys.toolToken(member.tenantId, server.id, tokenOwner(server, member.userId))),
    { consistent: true },
  );
  return items.map(readToken);
}

/** Returns true for one of several concurrent callers, which then refreshes the tokens. */
export async function claimRefresh(scope: TenantScope, { server_id, owner, version }: StoredToken): Promise<boolean> {
  try {
    await tenantTable(scope).write({
      update: keys.toolToken(scope.tenantId, server_id, owner as KeyOwner),
      set: { refreshing_until: now() + REFRESH_LEASE_MS },
      condition: allOf([equals({ version }), lessThan({ refreshing_until: now() })]),
    });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Deletes tokens, unless they were replaced. */
export async function deleteToken(scope: TenantScope, { server_id, owner, version }: StoredToken): Promise<void> {
  try {
    await tenantTable(scope).write({
      delete: keys.toolToken(scope.tenantId, server_id, owner as KeyOwner),
      condition: equals({ version }),
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Returns the items of a user's own tokens for some servers. */
export const findTokenItems = ({ tenantId, userId }: UserScope, serverIds: readonly string[]): Promise<Item[]> =>
  batchGetAll(
    tenantTable({ tenantId }),
    serverIds.map((id) => keys.toolToken(tenantId, id, userOwner(userId))),
    { consistent: true },
  );

/** Maximum number of tokens of a server that are revoked with it. */
const MAX_TOKENS = 1_000;

/** Returns the tokens of all owners for a server. */
export async function listTokens(scope: TenantScope, serverId: string): Promise<StoredToken[]> {
  const { pk } = keys.toolToken(scope.tenantId, serverId, "tenant");
  return (await tenantTable(scope).query({ pk, limit: MAX_TOKENS, consistent: true })).map(readToken);
}

export const readTokenItem = (item: Item): StoredToken => readToken(item);

/** Returns true if a token expires within a time in milliseconds. */
export const isExpired = ({ expires_at }: StoredToken, marginMs: number) =>
  expires_at !== null && Date.parse(expires_at) - marginMs <= now();

/** Tells whether a stored token can be used without another sign-in. */
export const isUsable = (token: StoredToken | undefined): boolean =>
  token !== undefined && (token.can_refresh || !isExpired(token, 0));
