import * as v from "valibot";
import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { decrypt, encrypt } from "../../auth/encryption.ts";
import type { KeyOwner } from "../../dynamodb/key-owner.ts";
import { keys } from "../../dynamodb/keys.ts";
import { ConditionFailed, equals } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import type { StoredToolServer } from "../server-store.ts";
import { type StoredToken, tokenOwner } from "./token-store.ts";

/** Time after its last use for which a token is stored. */
const TTL_SECONDS = 180 * 86_400;

export const Tokens = v.object({ access: v.string(), refresh: v.nullable(v.string()) });
export type Tokens = v.InferOutput<typeof Tokens>;

/** Tokens as an authorization server issues them. */
export interface IssuedTokens extends Tokens {
  /** Null if the authorization server names none. */
  readonly expiresInSeconds: number | null;
  readonly scope: string | null;
}

/** Tokens decrypt only for the owner, the server and the issuer that they were issued for. */
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
      condition: equals({ version }),
    });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}
