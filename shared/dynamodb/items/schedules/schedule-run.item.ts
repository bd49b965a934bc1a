import { defineItem } from "../../define-item.ts";

export const scheduleRunItem = defineItem({
  type: "schedule-run",
  keys: {
    /** Run of a schedule, by the time for which it was scheduled, so that each time has one run. */
    scheduleRun: (tenant: string, schedule: string, scheduledAt: string) => ({
      pk: `${tenant}#schedule#${schedule}`,
      sk: scheduledAt,
    }),
  },
  partitionOf: { schedule: "" },
  recordsActor: [],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
