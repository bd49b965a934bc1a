import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { credentialWrite, revokedCredentialWrite } from "./credential-store.ts";

const embedKeyOf = (item: Item) => item as unknown as EmbedKey & { hash: string };

const usable = { where: "#is_revoked = :false", values: { false: false }, onConditionFailed: notFound };

/** The writes that make a key valid: what administrators see, and what the key is found by. */
export function embedKeyWrites(scope: TenantScope, key: EmbedKey, hash: string): Write[] {
  return [
    {
      put: { ...keys.embedKey(scope.tenantId, key.id), discriminator: "embed-key", timestamp: now(), hash, ...key },
      condition: { where: "attribute_not_exists(#pk)" },
    },
    credentialWrite(scope, { kind: "embed-key", id: key.id, hash, scopes: [], expires_at: null }),
  ];
}

/** All keys of the tenant, newest first. */
export async function listEmbedKeys(scope: TenantScope): Promise<EmbedKey[]> {
  const items = await tenantTable(scope).query({ pk: keys.embedKey(scope.tenantId, "").pk, descending: true });
  return items.map(embedKeyOf);
}

/** A key, or undefined; what a widget needs to know beyond that it may speak at all. */
export async function findEmbedKey(scope: TenantScope, id: string): Promise<EmbedKey | undefined> {
  const item = await tenantTable(scope).get(keys.embedKey(scope.tenantId, id));
  return item && embedKeyOf(item);
}

/** @throws ServiceError `not_found` for an unknown or revoked key */
export async function updateEmbedKey(
  scope: TenantScope,
  id: string,
  changes: Partial<Pick<EmbedKey, "name" | "persona_id" | "allowed_origins" | "theme" | "require_signed_visitor">>,
): Promise<EmbedKey> {
  const item = await tenantTable(scope).write({
    update: keys.embedKey(scope.tenantId, id),
    set: { ...changes, timestamp: now() },
    condition: usable,
  });
  return embedKeyOf(item as Item);
}

/**
 * Revokes a key: it stops to open anything in the same moment.
 * @throws ServiceError `not_found` for an unknown or already revoked key
 */
export async function revokeEmbedKey(scope: TenantScope, id: string): Promise<void> {
  const key = keys.embedKey(scope.tenantId, id);
  const item = await tenantTable(scope).get(key, { consistent: true });
  if (!item || embedKeyOf(item).is_revoked) throw notFound();
  await tenantTable(scope).transact([
    { update: key, set: { is_revoked: true, timestamp: now() }, condition: usable },
    revokedCredentialWrite(scope, embedKeyOf(item).hash),
  ]);
}
