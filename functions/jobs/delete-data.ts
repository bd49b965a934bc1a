import { job } from "#shared/changes/job.ts";
import { getDeletion } from "#shared/governance/deletion-store.ts";
import { eraseUserData } from "#shared/governance/erasure/erase-user-data.ts";
import type { DeletionJob } from "#shared/governance/erasure/schedule-deletion.ts";
import { handOverContent } from "#shared/governance/hand-over/hand-over-content.ts";
import { deleteTenant } from "#shared/governance/tenant-deletion/delete-tenant.ts";
import type { TenantDeletionJob } from "#shared/governance/tenant-deletion/schedule-tenant-deletion.ts";

export const handler = job<DeletionJob | TenantDeletionJob>(async (message) => {
  if ("isTenant" in message) return deleteTenant(message.tenantId);
  const { successor_id } = await getDeletion(message, message.id);
  return successor_id === null ? eraseUserData(message) : handOverContent(message);
});
