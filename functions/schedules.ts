import type { SettingName } from "#shared/lib/env.ts";

/** Times at which a function of `functions/scheduled` runs. */
export interface Schedule {
  readonly everyMinutes: number;
  /** Setting without which the function is not deployed. */
  readonly requires: SettingName;
  readonly description: string;
}

/**
 * Functions that run at regular times, by the names of their files in `functions/scheduled`. Each is called by a rule of
 * EventBridge; the local runner calls it by the same rule.
 */
export const schedules = {
  "probe-chat": {
    everyMinutes: 5,
    requires: "PROBE_URL",
    description: "Asks a question like a client, and reports whether it was answered",
  },
} as const satisfies Readonly<Record<string, Schedule>>;

/** Returns the schedules whose settings have a value, by name. */
export const enabledSchedules = (settings: Readonly<Record<string, string>>): [name: string, Schedule][] =>
  Object.entries(schedules).filter(([, { requires }]) => Boolean(settings[requires]));
