import { job } from "#shared/changes/job.ts";
import { checkInvestigation, type WaitingInvestigation } from "#shared/investigations/schedule.ts";
import { checkRun, type WatchedRun } from "#shared/runs/run-watchdog.ts";
import { type ExportedRun, exportRun } from "#shared/telemetry/export-run.ts";

export const handler = job<WatchedRun | WaitingInvestigation | ExportedRun>(async (message) => {
  if ("investigation" in message) return checkInvestigation(message);
  // The trace of a run is exported when the watchdog finds that it has ended.
  if ("failedExports" in message || (await checkRun(message))) await exportRun(message);
});
