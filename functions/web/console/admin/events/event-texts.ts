import type { EventType } from "../../../../../shared/api/events/event-data.ts";
import { t } from "../../lib/i18n.ts";

/** Texts are looked up when they are shown, in the language of the user. */
export const eventTexts = (): Record<Exclude<EventType, "endpoint.test">, string> => ({
  "run.completed": t("An answer is complete"),
  "run.failed": t("An answer failed"),
  "run.paused": t("An answer waits for a decision"),
  "approval.requested": t("An action waits for a decision"),
  "approval.decided": t("An approval was decided, or expired"),
  "feedback.created": t("A person rated an answer"),
  "handover.requested": t("A visitor asks for a person, or left an address"),
  "handover.claimed": t("A person took the session of a visitor"),
  "handover.returned": t("A session is with the assistant again"),
  "handover.closed": t("A person closed the matter of a visitor"),
  "transcript.requested": t("A visitor asks for the conversation by e-mail"),
  "alert.received": t("An alert arrived"),
  "alert.resolved": t("An alert is resolved"),
  "investigation.completed": t("An investigation ended"),
  "schedule.completed": t("A run of a schedule is complete"),
  "schedule.failed": t("A run of a schedule failed or was missed"),
  "schedule.paused": t("A schedule was paused after failures"),
  "test_run.dropped": t("Answers to a test set got worse"),
  "document.ready": t("A document can be searched"),
  "document.failed": t("A document could not be read"),
  "sync.completed": t("A collection is as its source"),
  "sync.failed": t("A sync failed"),
  "export.ready": t("An export can be downloaded"),
  "user.deactivated": t("A user was deactivated"),
  "budget.reached": t("80 or 100 percent of a budget is used"),
  "audit.anchored": t("The audit trail of a day is complete"),
  "usage.settled": t("An answer consumed tokens"),
});

/** Returns the words for a type of event. */
export const describeEvent = (type: EventType): string =>
  type === "endpoint.test" ? t("A test event") : eventTexts()[type];
