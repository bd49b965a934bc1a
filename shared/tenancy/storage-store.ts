import * as v from "valibot";
import type { StorageState } from "../api/governance/usage.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { allOf, anyOf, atMost, type Item, lacksAttribute, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { ServiceError } from "../lib/errors.ts";
import { findTenant, type Tenant } from "./tenant-store.ts";

const StoredAmount = v.object({
  documents: v.optional(v.number(), 0),
  /** Total size of documents as they were uploaded, and of attached files. */
  bytes: v.optional(v.number(), 0),
});
/** Number and size of a tenant's stored documents and files, or a change of them. */
export type StoredAmount = v.InferOutput<typeof StoredAmount>;
type Unit = keyof StoredAmount;

const readStorage = itemReader(StoredAmount);

const units = ["documents", "bytes"] as const;

const limitsOf = (tenant: Pick<Tenant, "limits"> | undefined): Readonly<Record<Unit, number | undefined>> => ({
  documents: tenant?.limits.documents,
  bytes: tenant?.limits.storage_bytes,
});

function storageFull(unit: Unit, used: number, added: number, limit: number): ServiceError {
  const [of, more, at] = [used, added, limit].map((amount) => amount.toLocaleString("en"));
  return new ServiceError(
    "storage_full",
    `This organization stores ${of} ${unit} and may store ${at}; ${more} more would exceed that. Delete documents, or ask the operator of the service for a higher limit.`,
    { details: { storage: { unit, used, added, limit } } },
  );
}

/**
 * Returns the write that changes a tenant's storage counters without checking its limits. Negative amounts free
 * storage.
 */
export const storageChangeWrite = ({ tenantId }: TenantScope, { documents, bytes }: StoredAmount) => ({
  update: keys.storage(tenantId),
  setIfAbsent: { discriminator: "storage" },
  add: { documents, bytes },
});

/**
 * Returns the write that adds to a tenant's storage counters; it belongs in the transaction that stores the data. It
 * throws ServiceError `storage_full` if a limit is exceeded. Limits are cached for up to 15 seconds.
 */
export async function storageWrite(scope: TenantScope, added: StoredAmount): Promise<Write> {
  const write = storageChangeWrite(scope, added);
  const limits = limitsOf(await findTenant(scope));
  const limited = units.flatMap((unit) => {
    const limit = limits[unit];
    return limit === undefined || added[unit] <= 0 ? [] : [{ unit, limit, room: limit - added[unit] }];
  });
  if (limited.length === 0) return write;
  const conditions = limited.map(({ unit, room }) => {
    const hasRoom = atMost({ [unit]: room });
    // A tenant that has stored nothing has no counters.
    return room < 0 ? hasRoom : anyOf([lacksAttribute(unit), hasRoom]);
  });
  return {
    ...write,
    condition: allOf(conditions, (existing) => {
      const used = readStorage(existing ?? ({} as Item));
      const exceeded = limited.find(({ unit, room }) => used[unit] > room) ?? limited[0];
      const { unit, limit } = exceeded as (typeof limited)[number];
      return storageFull(unit, used[unit], added[unit], limit);
    }),
  };
}

/** Returns a tenant's used storage and its limits; a limit is null if there is none. */
export async function getStorageState(tenant: Pick<Tenant, "tenant_id" | "limits">): Promise<StorageState> {
  const item = await tenantTable({ tenantId: tenant.tenant_id }).get(keys.storage(tenant.tenant_id));
  const used = readStorage(item ?? ({} as Item));
  const { documents = null, bytes = null } = limitsOf(tenant);
  return { documents: { used: used.documents, limit: documents }, bytes: { used: used.bytes, limit: bytes } };
}
