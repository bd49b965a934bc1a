import * as v from "valibot";
import type { Capability } from "../api/capabilities.ts";
import type { StricterActions } from "../api/governance/guardrail-policy.ts";
import type { KeyKind } from "../auth/credentials.ts";
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

const common = { id: v.string(), hash: v.string(), tenant_id: v.string(), expires_at: v.nullable(v.string()) };

const ApiKeyCredential = v.object({
  kind: v.literal("api-key"),
  ...common,
  scopes: v.array(v.string()),
  /** Origins of pages that may use the key. */
  allowed_origins: v.array(v.string()),
  /** Guardrail actions, which are stricter than those of the tenant's policy. */
  guardrails: trusted<StricterActions>(),
  /** User who created the key, and in `permissions` what this user could do at the time. */
  created_by: v.string(),
  permissions: trusted<Capability[]>(),
});

/** Credential of a website, whose item has the origins of its pages. */
const EmbedKeyCredential = v.object({ kind: v.literal("embed-key"), ...common });

const Credential = v.variant("kind", [ApiKeyCredential, EmbedKeyCredential]);
/** Lookup item of a key by its hash. It is deleted when the key is revoked. */
type Credential = v.InferOutput<typeof Credential>;

const readCredential = itemReader(Credential);

/** Returns the write that creates the lookup of a key; it belongs in the transaction that creates the key. */
export const newCredentialWrite = (credential: Credential): Write => ({
  put: { ...keys.credential(credential.hash), discriminator: "credential", ...credential },
  condition: absent(),
});

/** Returns the write that deletes the lookup of a key; it belongs in the transaction that revokes the key. */
export function deleteCredentialWrite(scope: TenantScope, hash: string): Write {
  return {
    delete: keys.credential(hash),
    condition: equals({ tenant_id: scope.tenantId }),
  };
}

/**
 * Returns the lookup item with a key's hash, with a strongly consistent read, so that a revocation takes effect
 * immediately.
 * @returns the item, and a function that passes items read in advance with it on to later reads of the principal
 */
export async function findCredential(
  hash: string,
): Promise<{ readonly credential: Credential; attachReads(principal: TenantScope): void } | undefined> {
  const { item, attachTo } = await readCredentialAhead(systemTable(), keys.credential(hash));
  return item && { credential: readCredential(item), attachReads: attachTo };
}

/** Functions that build the table key of the item for administrators, by kind of key. */
const toItemKey = { "api-key": keys.apiKey, "embed-key": keys.embedKey } as const;

/** Records when a key was last used, unless a later use is recorded or the key does not exist. */
export async function recordKeyUse(scope: TenantScope, kind: KeyKind, id: string, usedAt: string): Promise<void> {
  await tenantTable(scope)
    .write({
      update: toItemKey[kind](scope.tenantId, id),
      set: { last_used_at: usedAt },
      condition: allOf([exists(), anyOf([equals({ last_used_at: null }), lessThan({ last_used_at: usedAt })])]),
    })
    .catch(ignoreConditionFailed);
}
