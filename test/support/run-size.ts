/** `full` in `npm run test:full` and `soak` in `npm run test:soak`; otherwise not set. */
const size = process.env.SWITCHBOARD_FULL;

/** True in `npm run test:full` and `npm run test:soak`. */
export const isFullRun = size !== undefined;

/** Counts of one test: `usual` for each commit, `full` before a release, and `soak` for runs of hours. */
interface Counts<T> {
  readonly usual: T;
  readonly full: T;
  /** By default `full`. */
  readonly soak?: T;
}

/** Returns the count for the current run. */
export function sized<T>({ usual, full, soak = full }: Counts<T>): T {
  if (size === "soak") return soak;
  return isFullRun ? full : usual;
}
