import { job } from "#shared/changes/job.ts";
import { eraseUserData } from "#shared/governance/erasure/erase-user-data.ts";
import type { DeletionJob } from "#shared/governance/erasure/schedule-deletion.ts";
import { deleteTenant } from "#shared/governance/tenant-deletion/delete-tenant.ts";
import type { TenantDeletionJob } from "#shared/governance/tenant-deletion/schedule-tenant-deletion.ts";

export const handler = job<DeletionJob | TenantDeletionJob>((message) =>
  "isTenant" in message ? deleteTenant(message.tenantId) : eraseUserData(message),
);
