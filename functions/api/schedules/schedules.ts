import {
  createScheduleRoute,
  deleteScheduleRoute,
  getScheduleRoute,
  listScheduleRunsRoute,
  listSchedulesRoute,
  NEXT_TIMES,
  previewScheduleRoute,
  startScheduleRunRoute,
  updateScheduleRoute,
} from "#shared/api/schedules/schedules.ts";
import { mapPage } from "#shared/dynamodb/pagination.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { now, timestamp } from "#shared/lib/clock.ts";
import { authorizeSchedule } from "#shared/schedules/authorize-schedule.ts";
import { checkCron, nextTimes } from "#shared/schedules/recurrence.ts";
import {
  listScheduleRuns,
  newScheduleRun,
  newScheduleRunWrite,
  toScheduleRun,
} from "#shared/schedules/schedule-run-store.ts";
import {
  deleteSchedule,
  getSchedule,
  listSchedules,
  newSchedule,
  newScheduleWrite,
  requireRoom,
  toSchedule,
  updateSchedule,
} from "#shared/schedules/schedule-store.ts";

export const createScheduleHandler = endpoint(createScheduleRoute, async ({ principal, body, commit }) => {
  checkCron(body.cron);
  await Promise.all([requireRoom(principal), authorizeSchedule(principal, body)]);
  const schedule = newSchedule(principal.userId, body);
  return commit(toSchedule(schedule), newScheduleWrite(principal, schedule));
});

export const deleteScheduleHandler = endpoint(deleteScheduleRoute, async ({ principal, params }) => {
  await deleteSchedule(principal, params.id);
});

export const getScheduleHandler = endpoint(getScheduleRoute, async ({ principal, params }) =>
  toSchedule(await getSchedule(principal, params.id)),
);

export const listScheduleRunsHandler = endpoint(listScheduleRunsRoute, async ({ principal, params, query }) => {
  await getSchedule(principal, params.id);
  return pageReply("runs", mapPage(await listScheduleRuns(principal, params.id, query), toScheduleRun), query.limit);
});

export const listSchedulesHandler = endpoint(listSchedulesRoute, async ({ principal, query }) =>
  pageReply("schedules", mapPage(await listSchedules(principal, query), toSchedule), query.limit),
);

export const previewScheduleHandler = endpoint(previewScheduleRoute, async ({ body }) => {
  checkCron(body.cron);
  return { next_times: nextTimes(body, now(), NEXT_TIMES).map((time) => timestamp(time)) };
});

export const startScheduleRunHandler = endpoint(startScheduleRunRoute, async ({ principal, params, commit }) => {
  const schedule = await getSchedule(principal, params.id);
  const run = newScheduleRun(schedule, { scheduled_at: timestamp(), trigger: "manual", status: "pending" });
  return commit(toScheduleRun(run), newScheduleRunWrite(principal, run));
});

export const updateScheduleHandler = endpoint(updateScheduleRoute, async ({ principal, params, body }) => {
  if (body.cron !== undefined) checkCron(body.cron);
  const before = await getSchedule(principal, params.id);
  await authorizeSchedule(principal, body, before);
  return toSchedule(await updateSchedule(principal, params.id, body));
});
