/** Interval at which a scheduled function runs, and the part of a deployment's configuration that enables it, if not all have it. */
interface Schedule {
  readonly everyMinutes: number;
  readonly requires?: "hasProbe";
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
    requires: "hasProbe",
    description: "Asks the service like a client outside, and reports whether it answered",
  },
  "start-due-schedules": {
    everyMinutes: 1,
    description: "Starts the runs of schedules that are due",
  },
} as const satisfies Readonly<Record<string, Schedule>>;

/** Returns the schedules that a configuration enables, by name. */
export const enabledSchedules = (config: Readonly<Record<"hasProbe", boolean>>): [name: string, Schedule][] =>
  Object.entries<Schedule>(schedules).filter(([, { requires }]) => !requires || config[requires]);
