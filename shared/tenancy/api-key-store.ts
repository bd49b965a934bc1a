import type { ApiKey } from "../api/tenancy/api-keys.ts";
import { keys } from "../dynamodb/keys.ts";
import type { Item, Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { credentialWrite, revokedCredentialWrite } from "./credential-store.ts";

const apiKeyOf = (item: Item) => item as unknown as ApiKey & { hash: string };

/** The writes that make a key valid: what administrators see, and what the key is found by. */
export function apiKeyWrites(scope: TenantScope, key: ApiKey, hash: string): Write[] {
  const { id, scopes, expires_at } = key;
  return [
    {
      put: { ...keys.apiKey(scope.tenantId, id), discriminator: "api-key", timestamp: now(), hash, ...key },
      condition: { where: "attribute_not_exists(#pk)" },
    },
    credentialWrite(scope, { kind: "api-key", id, hash, scopes, expires_at }),
  ];
}

/** All keys of the tenant, newest first. */
export async function listApiKeys(scope: TenantScope): Promise<ApiKey[]> {
  const items = await tenantTable(scope).query({ pk: keys.apiKey(scope.tenantId, "").pk, descending: true });
  return items.map(apiKeyOf);
}

/**
 * Revokes a key: it stops to open anything in the same moment.
 * @throws ServiceError `not_found` for an unknown or already revoked key
 */
export async function revokeApiKey(scope: TenantScope, id: string): Promise<void> {
  const key = keys.apiKey(scope.tenantId, id);
  const item = await tenantTable(scope).get(key, { consistent: true });
  if (!item || apiKeyOf(item).is_revoked) throw notFound();
  await tenantTable(scope).transact([
    {
      update: key,
      set: { is_revoked: true, timestamp: now() },
      condition: { where: "#is_revoked = :false", values: { false: false }, onConditionFailed: notFound },
    },
    revokedCredentialWrite(scope, apiKeyOf(item).hash),
  ]);
}
