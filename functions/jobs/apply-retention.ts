import { applyRetention, type RetentionJob } from "#shared/changes/apply-retention.ts";
import { job } from "#shared/changes/job.ts";

export const handler = job<RetentionJob>(applyRetention);
