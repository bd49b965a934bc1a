import { job } from "#shared/changes/job.ts";
import { continueRun } from "#shared/chat/continue-run.ts";
import { startInvestigations } from "#shared/chat/investigation/start-investigations.ts";
import { replayInvestigation } from "#shared/chat/replay-investigation.ts";
import type { ReplayJob, StartJob } from "#shared/investigations/schedule.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import type { DecidedRun } from "#shared/runs/pauses/schedule-continuation.ts";
import { runSlackJob } from "#shared/slack/run-slack-job.ts";
import type { SlackJob } from "#shared/slack/schedule.ts";

preloadAdapters();

// Investigations and Slack share the queue: queues of their own would cost the deployments without them, too.
export const handler = job<DecidedRun | StartJob | ReplayJob | SlackJob>((message) => {
  if ("slack" in message) return runSlackJob(message);
  if ("startsInvestigations" in message) return startInvestigations(message);
  return "replay" in message ? replayInvestigation(message) : continueRun(message);
});
