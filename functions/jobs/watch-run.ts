import { job } from "#shared/changes/job.ts";
import { checkRun, type WatchedRun } from "#shared/runs/run-watchdog.ts";

export const handler = job<WatchedRun>(checkRun);
