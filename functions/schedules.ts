import type { SettingName } from "#shared/lib/env.ts";

/** Times at which a function of `functions/scheduled` runs. */
export interface Schedule {
  readonly everyMinutes: number;
  /** Setting without which the function is not deployed. With `value`, the setting must have this value. */
  readonly requires: SettingName;
  readonly value?: string;
  /** True for a function that may take minutes, because it reads the data of all tenants. */
  readonly readsAllTenants?: boolean;
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
  "write-usage-files": {
    everyMinutes: 720,
    requires: "METERING_FORMAT",
    value: "csv",
    readsAllTenants: true,
    description: "Writes the usage of finished days to CSV files",
  },
} as const satisfies Readonly<Record<string, Schedule>>;

/** Returns the schedules whose settings have a value, by name. */
export const enabledSchedules = (settings: Readonly<Record<string, string>>): [name: string, Schedule][] =>
  Object.entries<Schedule>(schedules).filter(([, { requires, value }]) =>
    value === undefined ? Boolean(settings[requires]) : settings[requires] === value,
  );
