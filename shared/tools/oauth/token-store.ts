import * as v from "valibot";
import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { decrypt, encrypt } from "../../auth/encryption.ts";
import { itemAccess } from "../../dynamodb/access.ts";
import { batchGetAll } from "../../dynamodb/batch-get-all.ts";
import { itemReader } from "../../dynamodb/item-reader.ts";
import { type KeyOwner, userOwner } from "../../dynamodb/key-owner.ts";
import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, type Item } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import type { StoredToolServer } from "../server-store.ts";

export const toolTokenAccess = itemAccess("toolToken", "get", "getMany", "query", "put", "update", "delete");

/** Time after its last use for which a token is stored. */
const TTL_SECONDS = 180 * 86_400;

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

/** Tokens of a sign-in. */
export const Tokens = v.object({ access: v.string(), refresh: v.nullable(v.string()) });
export type Tokens = v.InferOutput<typeof Tokens>;

/** Tokens as an authorization server issues them. */
export interface IssuedTokens extends Tokens {
  /** Null if the authorization server names none. */
  readonly expiresInSeconds: number | null;
  readonly scope: string | null;
}

/** Returns the owner of the tokens of a server: the user, or the tenant. */
export const tokenOwner = ({ auth }: Pick<StoredToolServer, "auth">, userId: string): KeyOwner =>
  auth.type === "oauth_tenant" ? "tenant" : userOwner(userId);

/** Tokens decrypt for the owner, the server and the issuer for which they were issued only. */
function purposeOf({ tenantId }: TenantScope, owner: string, { id, oauth }: StoredToolServer): string {
  return `tool-token:${JSON.stringify([tenantId, owner, id, oauth?.issuer, oauth?.resource])}`;
}

const fieldsOf = async (member: UserScope, owner: string, server: StoredToolServer, issued: IssuedTokens) => ({
  expires_at: issued.expiresInSeconds === null ? null : timestamp(now() + issued.expiresInSeconds * 1_000),
  can_refresh: issued.refresh !== null,
  scope: issued.scope,
  sealed_tokens: encrypt(
    (await loadAppSecrets()).current,
    purposeOf(member, owner, server),
    JSON.stringify({ access: issued.access, refresh: issued.refresh } satisfies Tokens),
  ),
  refreshing_until: 0,
  timestamp: now(),
  ttl: expiresAfter(TTL_SECONDS),
});

/** Stores the tokens of a sign-in; they replace those of an earlier one. */
export async function storeTokens(member: UserScope, server: StoredToolServer, issued: IssuedTokens): Promise<void> {
  const owner = tokenOwner(server, member.userId);
  await tenantTable(member).write({
    put: {
      ...keys.toolToken(member.tenantId, server.id, owner),
      discriminator: "tool-token",
      server_id: server.id,
      owner,
      issuer: server.oauth?.issuer ?? "",
      version: now(),
      created_at: timestamp(),
      ...(await fieldsOf(member, owner, server, issued)),
    },
  });
}

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

/** Returns the tokens, or null if they cannot be decrypted: the server has another address or issuer since. */
export async function openTokens(
  scope: TenantScope,
  server: StoredToolServer,
  { owner, sealed_tokens }: StoredToken,
): Promise<Tokens | null> {
  const { all } = await loadAppSecrets();
  const text = verifyWithAny(all, (secret) => decrypt(secret, purposeOf(scope, owner, server), sealed_tokens));
  return text === null ? null : v.parse(Tokens, JSON.parse(text));
}

/** Returns true for one of several concurrent callers, which then refreshes the tokens. */
export async function claimRefresh(scope: TenantScope, { server_id, owner, version }: StoredToken): Promise<boolean> {
  try {
    await tenantTable(scope).write({
      update: keys.toolToken(scope.tenantId, server_id, owner as KeyOwner),
      set: { refreshing_until: now() + REFRESH_LEASE_MS },
      condition: {
        where: "#version = :version AND #refreshing_until < :now",
        values: { version, now: now() },
      },
    });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Replaces refreshed tokens. @returns false if the user has signed in or out since */
export async function replaceTokens(
  member: UserScope,
  server: StoredToolServer,
  { owner, version }: StoredToken,
  issued: IssuedTokens,
): Promise<boolean> {
  try {
    await tenantTable(member).write({
      update: keys.toolToken(member.tenantId, server.id, owner as KeyOwner),
      set: { ...(await fieldsOf(member, owner, server, issued)), version: version + 1 },
      condition: { where: "#version = :version", values: { version } },
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
      condition: { where: "#version = :version", values: { version } },
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

/** Reads the item of a token. */
export const readTokenItem = (item: Item): StoredToken => readToken(item);
