import type { KeyKind } from "../auth/credentials.ts";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, type Write } from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";

/** What a key's hash leads to, as long as the key opens anything. */
export interface Credential {
  readonly kind: KeyKind;
  readonly id: string;
  readonly hash: string;
  readonly tenant_id: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

/** The write that lets a key be found; part of the transaction that creates the key. */
export function credentialWrite(scope: TenantScope, credential: Omit<Credential, "tenant_id">): Write {
  return {
    put: {
      ...keys.credential(credential.hash),
      discriminator: "credential",
      tenant_id: scope.tenantId,
      ...credential,
    },
    condition: { where: "attribute_not_exists(#pk)" },
  };
}

/** The write after which a key is not found any more; part of the transaction that revokes it. */
export function revokedCredentialWrite(scope: TenantScope, hash: string): Write {
  return {
    delete: keys.credential(hash),
    condition: { where: "#tenant_id = :tenant_id", values: { tenant_id: scope.tenantId } },
  };
}

/** The key of this hash, if it opens anything: one strongly consistent read, so a revocation works at once. */
export async function findCredential(hash: string): Promise<Credential | undefined> {
  const item = await systemTable().get(keys.credential(hash), { consistent: true });
  return item as unknown as Credential | undefined;
}

/** What administrators see of a key. */
const shownKey = { "api-key": keys.apiKey, "embed-key": keys.embedKey } as const;

/** Notes that a key was used at that moment, unless a later one is known. */
export async function noteUse(scope: TenantScope, kind: KeyKind, id: string, usedAt: string): Promise<void> {
  try {
    await tenantTable(scope).write({
      update: shownKey[kind](scope.tenantId, id),
      set: { last_used_at: usedAt },
      condition: {
        where: "attribute_exists(#pk) AND (#last_used_at = :never OR #last_used_at < :usedAt)",
        values: { never: null, usedAt },
      },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}
