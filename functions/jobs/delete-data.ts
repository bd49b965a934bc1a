import { job } from "#shared/changes/job.ts";
import { deleteData } from "#shared/governance/erasure/delete-data.ts";
import type { DeletionJob } from "#shared/governance/erasure/schedule-deletion.ts";

export const handler = job<DeletionJob>(deleteData);
