import { job } from "#shared/changes/job.ts";
import { checkInvestigation, type WaitingInvestigation } from "#shared/investigations/schedule.ts";
import { checkRun, type WatchedRun } from "#shared/runs/run-watchdog.ts";

export const handler = job<WatchedRun | WaitingInvestigation>((message) =>
  "investigation" in message ? checkInvestigation(message) : checkRun(message),
);
