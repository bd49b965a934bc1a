import { MAX_REMOVED_SHARE, type Sync } from "../../api/knowledge/syncs.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { timestamp } from "../../lib/clock.ts";
import { ServiceError } from "../../lib/errors.ts";
import { applyWrite, countRemovals, endWrite, findSync, projectSync, requireOpen } from "./sync-store.ts";

/**
 * Ends the part of a sync that its client does. What it has staged becomes visible by a job; without differences, the sync is
 * completed at once.
 * @throws ServiceError `conflict` if it would remove too many documents without `confirm`, or is not complete
 */
export async function completeSync(
  scope: TenantScope,
  collectionId: string,
  { sync_id, confirm }: { readonly sync_id: string; readonly confirm: boolean },
): Promise<Sync> {
  const found = await findSync(scope, collectionId);
  if (found?.id === sync_id && (found.status === "applying" || found.status === "completed")) return projectSync(found);
  const sync = requireOpen(found, sync_id);
  const { comparison, added, changed, moved } = sync;
  if (!comparison.is_complete) throw new ServiceError("conflict", "The manifest is not complete yet.");
  const removed = countRemovals(sync);
  const documents = comparison.known;
  if (removed > documents * MAX_REMOVED_SHARE && !confirm) {
    const message = `The sync would remove ${removed} of ${documents} documents. Repeat the request with \`confirm\` to remove them.`;
    throw new ServiceError("conflict", message, { details: { removed, documents } });
  }
  const isUnchanged = added + changed + moved + removed + comparison.pending === 0;
  const write = isUnchanged ? endWrite(scope, sync, "completed") : applyWrite(scope, { ...sync, removed });
  await tenantTable(scope).write(write);
  const result = isUnchanged
    ? ({ status: "completed", completed_at: timestamp() } as const)
    : { status: "applying" as const };
  return projectSync({ ...sync, removed, ...result });
}
