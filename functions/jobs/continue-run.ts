import { job } from "#shared/changes/job.ts";
import { continueRun } from "#shared/chat/continue-run.ts";
import { startInvestigations } from "#shared/chat/investigation/start-investigations.ts";
import { runTests } from "#shared/evaluations/runs/run-tests.ts";
import type { TestRunJob } from "#shared/evaluations/runs/schedule-run.ts";
import type { StartJob } from "#shared/investigations/schedule.ts";
import { runMessengerJob } from "#shared/messengers/run-job.ts";
import type { MessengerJob } from "#shared/messengers/schedule.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import type { DecidedRun, HandedOverRun } from "#shared/runs/pauses/schedule-continuation.ts";
import type { ScheduleRunJob } from "#shared/schedules/schedule-start.ts";
import { startScheduledRun } from "#shared/schedules/start-scheduled-run.ts";
import { openSlack } from "#shared/slack/slack-messenger.ts";
import { openTeams } from "#shared/teams/teams-messenger.ts";

preloadAdapters();

const clients = { slack: openSlack, teams: openTeams };

// Investigations, messengers, schedules and tests share the queue: queues of their own would cost the deployments without them, too.
type Message = DecidedRun | HandedOverRun | StartJob | MessengerJob | ScheduleRunJob | TestRunJob;

export const handler = job<Message>((message) => {
  if ("scheduleRun" in message) return startScheduledRun(message);
  if ("testRun" in message) return runTests(message);
  if ("messengerEvent" in message) return runMessengerJob(message, clients);
  return "startsInvestigations" in message ? startInvestigations(message) : continueRun(message);
});
