import { job } from "#shared/changes/job.ts";
import { eraseUserData } from "#shared/governance/erasure/erase-user-data.ts";
import type { DeletionJob } from "#shared/governance/erasure/schedule-deletion.ts";

export const handler = job<DeletionJob>(eraseUserData);
