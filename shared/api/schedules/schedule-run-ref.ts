import * as v from "valibot";

/** Reference to a run of a schedule. */
const ScheduleRunRef = v.object({ schedule_id: v.string(), scheduled_at: v.string() });
export type ScheduleRunRef = v.InferOutput<typeof ScheduleRunRef>;

/** Attribute of a run and its answer that names the run of the schedule that asked. */
export const scheduledRun = { schedule_run: v.optional(ScheduleRunRef) };
