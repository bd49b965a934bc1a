import { job } from "#shared/changes/job.ts";
import { continueRun } from "#shared/chat/continue-run.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import type { DecidedRun } from "#shared/runs/pauses/schedule-continuation.ts";

preloadAdapters();

export const handler = job<DecidedRun>(continueRun);
