import * as v from "valibot";
import { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, equals, type Item, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound, requireFound } from "../lib/errors.ts";
import { deleteCredentialWrite, newCredentialWrite } from "./credential-store.ts";

const readEmbedKey = itemReader(v.object({ ...EmbedKey.entries, hash: v.string() }));

const isActive = () => equals({ is_revoked: false }, notFound);

/**
 * Returns the writes that create a key: the item for administrators, and the lookup item by hash. `key_prefix` is the
 * start of the key, `swe_<slug>`; `shared/auth/credentials.ts` has the whole format.
 */
export function newEmbedKeyWrites(scope: TenantScope, key: EmbedKey, hash: string): Write[] {
  return [
    {
      put: { ...keys.embedKey(scope.tenantId, key.id), discriminator: "embed-key", timestamp: now(), hash, ...key },
      condition: absent(),
    },
    newCredentialWrite({ kind: "embed-key", id: key.id, hash, tenant_id: scope.tenantId, expires_at: null }),
  ];
}

/** Returns all embed keys of the tenant, newest first. */
export async function listEmbedKeys(scope: TenantScope): Promise<EmbedKey[]> {
  const items = await tenantTable(scope).query({ pk: keys.embedKey(scope.tenantId, "").pk, descending: true });
  return items.map(readEmbedKey);
}

/** Returns an embed key, also a revoked one; undefined if it does not exist. */
export async function findEmbedKey(scope: TenantScope, id: string): Promise<EmbedKey | undefined> {
  const item = await tenantTable(scope).get(keys.embedKey(scope.tenantId, id));
  return item && readEmbedKey(item);
}

/**
 * Returns an embed key, also a revoked one.
 * @throws ServiceError `not_found` for an unknown key
 */
export async function requireEmbedKey(scope: TenantScope, id: string): Promise<EmbedKey> {
  return requireFound(await findEmbedKey(scope, id));
}

/**
 * Changes the settings of an embed key.
 * @throws ServiceError `not_found` for an unknown or revoked key
 */
export async function updateEmbedKey(
  scope: TenantScope,
  id: string,
  changes: Partial<
    Pick<
      EmbedKey,
      | "name"
      | "persona_id"
      | "allowed_origins"
      | "theme"
      | "require_signed_visitor"
      | "attachments"
      | "transcripts"
      | "session_days"
      | "daily_tokens"
      | "tools"
      | "handover"
      | "form"
    >
  >,
): Promise<EmbedKey> {
  const item = await tenantTable(scope).write({
    update: keys.embedKey(scope.tenantId, id),
    set: { ...changes, timestamp: now() },
    condition: isActive(),
  });
  return readEmbedKey(item as Item);
}

/**
 * Revokes a key with immediate effect.
 * @throws ServiceError `not_found` for an unknown or already revoked key
 */
export async function revokeEmbedKey(scope: TenantScope, id: string): Promise<void> {
  const key = keys.embedKey(scope.tenantId, id);
  const item = await tenantTable(scope).get(key, { consistent: true });
  const embedKey = item && readEmbedKey(item);
  if (!embedKey || embedKey.is_revoked) throw notFound();
  await tenantTable(scope).transact([
    { update: key, set: { is_revoked: true, timestamp: now() }, condition: isActive() },
    deleteCredentialWrite(scope, embedKey.hash),
  ]);
}
