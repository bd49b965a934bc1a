import * as v from "valibot";
import type { Capability } from "../api/capabilities.ts";
import type { StricterActions } from "../api/governance/guardrail-policy.ts";
import type { KeyKind } from "../auth/credentials.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { readCredentialAhead } from "../dynamodb/read-ahead.ts";
import {
  absent,
  allOf,
  anyOf,
  equals,
  exists,
  ignoreConditionFailed,
  lessThan,
  type Write,
} from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";

export const credentialAccess = itemAccess("credential", "get", "put", "delete");

const kinds = ["api-key", "embed-key"] as const satisfies readonly KeyKind[];

const Credential = v.object({
  kind: v.picklist(kinds),
  id: v.string(),
  hash: v.string(),
  tenant_id: v.string(),
  scopes: v.array(v.string()),
  /** Origins of pages that an API key allows. Those of an embed key are in its own item. */
  allowed_origins: v.optional(v.array(v.string()), []),
  /** Actions of an API key that are stricter than the tenant's policy. */
  guardrails: v.optional(trusted<StricterActions>(), {}),
  expires_at: v.nullable(v.string()),
  /** User who created an API key, and what this user could do then. Keys that are older than these fields have no scope of `/v1`. */
  created_by: v.optional(v.nullable(v.string()), null),
  permissions: v.optional(trusted<Capability[]>(), []),
});
/** Lookup of a key by its hash. A revoked key has none. */
export type Credential = v.InferOutput<typeof Credential>;

const readCredential = itemReader(Credential);

/** Returns the write that creates the lookup of a key; part of the transaction that creates the key. */
export function newCredentialWrite(
  scope: TenantScope,
  credential: Omit<v.InferInput<typeof Credential>, "tenant_id">,
): Write {
  return {
    put: {
      ...keys.credential(credential.hash),
      discriminator: "credential",
      tenant_id: scope.tenantId,
      ...credential,
    },
    condition: absent(),
  };
}

/** Returns the write that deletes the lookup of a key; part of the transaction that revokes the key. */
export function deleteCredentialWrite(scope: TenantScope, hash: string): Write {
  return {
    delete: keys.credential(hash),
    condition: equals({ tenant_id: scope.tenantId }),
  };
}

/**
 * Finds the key with this hash. The read is strongly consistent, so that a revocation takes effect immediately.
 * @returns the key and a function that lets store calls of the principal take the items that were read with it
 */
export async function findCredential(
  hash: string,
): Promise<{ readonly credential: Credential; attachReads(principal: TenantScope): void } | undefined> {
  const { item, attachTo } = await readCredentialAhead(systemTable(), keys.credential(hash));
  return item && { credential: readCredential(item), attachReads: attachTo };
}

/** Builders of the key under which administrators see a credential. */
const toItemKey = { "api-key": keys.apiKey, "embed-key": keys.embedKey } as const;

/** Records when a key was last used, unless a later use is recorded already. */
export async function recordKeyUse(scope: TenantScope, kind: KeyKind, id: string, usedAt: string): Promise<void> {
  await tenantTable(scope)
    .write({
      update: toItemKey[kind](scope.tenantId, id),
      set: { last_used_at: usedAt },
      condition: allOf([exists(), anyOf([equals({ last_used_at: null }), lessThan({ last_used_at: usedAt })])]),
    })
    .catch(ignoreConditionFailed);
}
