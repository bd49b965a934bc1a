import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";

const RETRY_AFTER_SECONDS = 2;

let activeRuns = 0;

/**
 * Reserves capacity for a run in this process, before the run is stored. The limit prevents an overloaded process from
 * slowing down the runs that it has already accepted.
 * @returns a function that releases the capacity; further calls of it do nothing
 * @throws ServiceError `unavailable` with `Retry-After` when `MAX_CONCURRENT_RUNS` runs are active
 */
export function admitRun(): () => void {
  const { MAX_CONCURRENT_RUNS } = env("MAX_CONCURRENT_RUNS");
  if (activeRuns >= Number(MAX_CONCURRENT_RUNS)) {
    throw new ServiceError("unavailable", "Too many replies are being generated. Retry in a moment.", {
      headers: { "retry-after": String(RETRY_AFTER_SECONDS) },
    });
  }
  activeRuns++;
  let isReleased = false;
  return () => {
    if (!isReleased) activeRuns--;
    isReleased = true;
  };
}
