import { deleteData } from "#shared/changes/delete-data.ts";
import { job } from "#shared/changes/job.ts";
import type { DeletionJob } from "#shared/changes/schedule-deletion.ts";

export const handler = job<DeletionJob>(deleteData);
