import { startDueSchedules } from "#shared/schedules/start-due-schedules.ts";

export const handler = (): Promise<void> => startDueSchedules();
