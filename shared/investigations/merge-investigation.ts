import { TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { ServiceError } from "../lib/errors.ts";
import { findInvestigation, mergeWrites, type StoredInvestigation } from "./investigation-store.ts";

const conflict = (message: string) => new ServiceError("conflict", message);

/**
 * Merges an investigation into another one of its channel, or separates it again.
 * @param into id of the other one; null to separate
 * @throws ServiceError `conflict` if they cannot be merged
 */
export async function mergeInvestigation(
  scope: TenantScope,
  ref: StoredInvestigation,
  into: string | null,
): Promise<StoredInvestigation> {
  // The index, from which `ref` was read, may lag behind the last merge.
  const source = (await findInvestigation(scope, ref)) ?? ref;
  if (source.merged_into === into) return source;
  if (into === source.id) throw conflict("An incident cannot be merged into itself.");
  try {
    await tenantTable(scope).transact(mergeWrites(scope, source, into));
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error;
    throw conflict("The other incident is not of the same channel, or one of them is part of another merge.");
  }
  return { ...source, merged_into: into };
}
