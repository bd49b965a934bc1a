import type { SettingName } from "#shared/lib/env.ts";

/** Interval at which a scheduled function runs, and the setting that enables it. */
export interface Schedule {
  readonly everyMinutes: number;
  /** Setting that must have a value for the function to be deployed. */
  readonly requires: SettingName;
  readonly description: string;
}

/**
 * Scheduled functions, by file name in `functions/scheduled`. An EventBridge rule invokes each of them; the local runner
 * follows the same rules. Retention has no schedule: DynamoDB deletes expired items by their TTL, and
 * `shared/governance/retention/apply-retention.ts` applies a changed policy.
 */
export const schedules = {
  "probe-chat": {
    everyMinutes: 5,
    requires: "PROBE_URL",
    description: "Asks a question like a client, and reports whether it was answered",
  },
} as const satisfies Readonly<Record<string, Schedule>>;

/** Returns the schedules that the settings enable, by name. */
export const enabledSchedules = (settings: Readonly<Record<string, string>>): [name: string, Schedule][] =>
  Object.entries<Schedule>(schedules).filter(([, { requires }]) => Boolean(settings[requires]));
