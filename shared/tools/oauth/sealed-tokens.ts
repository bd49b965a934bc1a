import * as v from "valibot";
import { verifyWithAny } from "../../auth/accepted-secrets.ts";
import { loadAppSecrets } from "../../auth/app-secret.ts";
import { decrypt, encrypt } from "../../auth/encryption.ts";
import type { KeyOwner } from "../../dynamodb/key-owner.ts";
import { keys } from "../../dynamodb/keys.ts";
import { equals, isPerformed } from "../../dynamodb/table.ts";
import { type TenantScope, tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../../lib/clock.ts";
import type { StoredToolServer } from "../server-store.ts";
import { type StoredToken, tokenOwner } from "./token-store.ts";

/** Time after sign-in or the last refresh for which tokens are stored. */
const TTL_SECONDS = 180 * 86_400;

const Tokens = v.object({ access: v.string(), refresh: v.nullable(v.string()) });
type Tokens = v.InferOutput<typeof Tokens>;

/** Tokens that an authorization server has issued. */
export interface IssuedTokens extends Tokens {
  /** Lifetime of the access token; null if the authorization server does not state it. */
  readonly expiresInSeconds: number | null;
  readonly scope: string | null;
}

/**
 * Returns the encryption purpose of tokens. It binds them to their owner, server and issuer, so that they cannot be
 * decrypted for any other.
 */
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

/** Encrypts and stores the tokens of a sign-in. They replace those of an earlier sign-in. */
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

/**
 * Decrypts stored tokens. Null if they cannot be decrypted, because the server has a different issuer or resource by
 * now.
 */
export async function openTokens(
  scope: TenantScope,
  server: StoredToolServer,
  { owner, sealed_tokens }: StoredToken,
): Promise<Tokens | null> {
  const { all } = await loadAppSecrets();
  const text = verifyWithAny(all, (secret) => decrypt(secret, purposeOf(scope, owner, server), sealed_tokens));
  return text === null ? null : v.parse(Tokens, JSON.parse(text));
}

/**
 * Stores refreshed tokens.
 * @returns false if the user has signed in again or out since `version` was read
 */
export async function replaceTokens(
  member: UserScope,
  server: StoredToolServer,
  { owner, version }: StoredToken,
  issued: IssuedTokens,
): Promise<boolean> {
  return isPerformed(
    tenantTable(member).write({
      update: keys.toolToken(member.tenantId, server.id, owner as KeyOwner),
      set: { ...(await fieldsOf(member, owner, server, issued)), version: version + 1 },
      condition: equals({ version }),
    }),
  );
}
