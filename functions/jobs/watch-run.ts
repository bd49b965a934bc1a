import { job } from "#shared/changes/job.ts";
import { type WatchedRun, watchRun } from "#shared/runs/run-watchdog.ts";

export const handler = job<WatchedRun>(watchRun);
