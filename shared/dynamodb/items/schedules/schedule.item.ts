import { defineItem } from "../../define-item.ts";

export const scheduleItem = defineItem({
  type: "schedule",
  keys: {
    /** Schedule of a user. A tenant has few, so that one partition has them all and their number can be limited. */
    schedule: (tenant: string, user: string, schedule: string) => ({
      pk: `${tenant}#schedules`,
      sk: `${user}#${schedule}`,
    }),
  },
  index: {
    /** Schedules of all tenants that have a next run, in order of its time. */
    dueSchedule: (tenant: string, schedule: string, nextRunAt: string) => ({
      gsi1pk: "~deployment#due-schedules",
      gsi1sk: `${nextRunAt}#${tenant}#${schedule}`,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "schedule",
    id: "id",
    values: ["owner_id", "cron", "time_zone", "persona_id", "set_id", "conversation", "enabled", "disabled_reason"],
    redacted: ["name", "question", "documents"],
    // A run that starts or ends.
    isActivity: (before, after) => before.updated_at === after.updated_at,
  },
  erasedWith: "owner",
});
