import { job } from "#shared/changes/job.ts";
import { continueRun } from "#shared/chat/continue-run.ts";
import type { DecidedRun } from "#shared/runs/schedule-continuation.ts";

export const handler = job<DecidedRun>(continueRun);
