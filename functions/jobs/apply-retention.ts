import { job } from "#shared/changes/job.ts";
import { applyRetention, type RetentionJob } from "#shared/governance/retention/apply-retention.ts";

export const handler = job<RetentionJob>(applyRetention);
