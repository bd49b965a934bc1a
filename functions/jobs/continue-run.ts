import { job } from "#shared/changes/job.ts";
import { continueRun } from "#shared/chat/continue-run.ts";
import { startInvestigations } from "#shared/chat/investigation/start-investigations.ts";
import { replayInvestigation } from "#shared/chat/replay-investigation.ts";
import type { ReplayJob, StartJob } from "#shared/investigations/schedule.ts";
import { runMessengerJob } from "#shared/messengers/run-job.ts";
import type { MessengerJob } from "#shared/messengers/schedule.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import type { DecidedRun, HandedOverRun } from "#shared/runs/pauses/schedule-continuation.ts";
import { openSlack } from "#shared/slack/slack-messenger.ts";
import { openTeams } from "#shared/teams/teams-messenger.ts";

type EarlierSlackJob = Omit<MessengerJob, "messengerEvent"> & { readonly slack: MessengerJob["messengerEvent"] };

preloadAdapters();

const clients = { slack: openSlack, teams: openTeams };

// Investigations and messengers share the queue: queues of their own would cost the deployments without them, too.
export const handler = job<DecidedRun | HandedOverRun | StartJob | ReplayJob | MessengerJob | EarlierSlackJob>(
  (message) => {
    if ("messengerEvent" in message) return runMessengerJob(message, clients);
    // Sent before a deployment with this name.
    if ("slack" in message) return runMessengerJob({ ...message, messengerEvent: message.slack }, clients);
    if ("startsInvestigations" in message) return startInvestigations(message);
    return "replay" in message ? replayInvestigation(message) : continueRun(message);
  },
);
