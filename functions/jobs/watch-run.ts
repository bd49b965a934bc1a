import { job } from "#shared/changes/job.ts";
import { type WatchedRun, watchRun } from "#shared/chat/watch-run.ts";

export const handler = job<WatchedRun>(watchRun);
