import * as v from "valibot";
import type { Capability } from "../api/capabilities.ts";
import { ApiKey } from "../api/tenancy/api-keys.ts";
import { type AppSecrets, findSecretOf } from "../auth/accepted-secrets.ts";
import { deriveKey, keyPrefix } from "../auth/credentials.ts";
import { findKeyIdOf, type UserPrincipal } from "../auth/principal.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, equals, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { deleteCredentialWrite, newCredentialWrite } from "./credential-store.ts";

/**
 * Stored form of an API key, without the hint. The table contains only a hash of the key and its start; the hint is
 * derived from the key, which `deriveKey` computes again. `shared/auth/credentials.ts` has the format of keys.
 */
type StoredApiKey = Omit<ApiKey, "key_hint">;

const { key_hint: _, ...storedEntries } = ApiKey.entries;

const readApiKey = itemReader(
  v.object({
    ...storedEntries,
    hash: v.string(),
  }),
);

/**
 * Returns the writes that create a key: the item for administrators, and the lookup item by hash.
 * @param permissions permissions of the creator, which limit those of the key
 */
export function newApiKeyWrites(
  scope: TenantScope,
  key: StoredApiKey,
  { hash, permissions }: { readonly hash: string; readonly permissions: readonly Capability[] },
): Write[] {
  const { id, scopes, allowed_origins, guardrails, expires_at, created_by } = key;
  const lookup = { id, hash, tenant_id: scope.tenantId, expires_at };
  const rights = { scopes, allowed_origins, guardrails, created_by, permissions: [...permissions] };
  return [
    {
      put: { ...keys.apiKey(scope.tenantId, id), discriminator: "api-key", timestamp: now(), hash, ...key },
      condition: absent(),
    },
    newCredentialWrite({ kind: "api-key", ...lookup, ...rights }),
  ];
}

/** Returns the last four characters of a key. At least 112 of its 128 random bits remain secret. */
export const toKeyHint = (key: string): string => key.slice(-4);

/**
 * Returns the hint of a stored key; null if the application secret from which the key was derived is no longer
 * configured.
 */
function findKeyHint(secrets: AppSecrets, { id, key_prefix, hash }: StoredApiKey & { readonly hash: string }) {
  const slug = key_prefix.slice(keyPrefix("api-key", "").length);
  const derive = (secret: string) => deriveKey("api-key", secret, { id, slug });
  const secret = findSecretOf(secrets, hash, derive);
  return secret === undefined ? null : toKeyHint(derive(secret));
}

/** Returns all API keys of the tenant, newest first. */
export async function listApiKeys(scope: TenantScope, secrets: AppSecrets): Promise<ApiKey[]> {
  const items = await tenantTable(scope).query({ pk: keys.apiKey(scope.tenantId, "").pk, descending: true });
  return items.map(readApiKey).map((key) => ({ ...key, key_hint: findKeyHint(secrets, key) }));
}

/**
 * Requires that a decider does not use an API key to decide an own request: the creator of a key cannot decide requests
 * made with it, and the key cannot decide requests of its creator.
 * @param requesterId user who made the request, or the service id of a key
 */
export async function authorizeDecider(decider: UserPrincipal, requesterId: string): Promise<void> {
  const keyId = findKeyIdOf(requesterId);
  const item = keyId && (await tenantTable(decider).get(keys.apiKey(decider.tenantId, keyId)));
  const creatorId = item ? readApiKey(item).created_by : null;
  if (creatorId !== decider.userId && decider.apiKey?.creatorId !== requesterId) return;
  throw new ServiceError(
    "forbidden",
    "Who made a key cannot decide requests with it, or decide requests of their own with it.",
  );
}

/**
 * Revokes a key with immediate effect.
 * @throws ServiceError `not_found` for an unknown or already revoked key
 */
export async function revokeApiKey(scope: TenantScope, id: string): Promise<void> {
  const key = keys.apiKey(scope.tenantId, id);
  const item = await tenantTable(scope).get(key, { consistent: true });
  const apiKey = item && readApiKey(item);
  if (!apiKey || apiKey.is_revoked) throw notFound();
  await tenantTable(scope).transact([
    {
      update: key,
      set: { is_revoked: true, timestamp: now() },
      condition: equals({ is_revoked: false }, notFound),
    },
    deleteCredentialWrite(scope, apiKey.hash),
  ]);
}
