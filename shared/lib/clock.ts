/** Returns the current time in epoch milliseconds. */
export function now(): number {
  return Date.now();
}

/** Returns an ISO 8601 UTC timestamp with milliseconds. */
export function timestamp(epochMs = now()): string {
  return new Date(epochMs).toISOString();
}

/** Returns the time `seconds` from now in epoch seconds, the format of DynamoDB's TTL attribute. */
export function expiresAfter(seconds: number): number {
  return Math.floor(now() / 1_000) + seconds;
}

let lastEpochMicros = 0;

/**
 * Returns an ISO 8601 UTC timestamp with microseconds, strictly increasing within this process. The digits below the
 * millisecond are random, which makes collisions between processes unlikely.
 */
export function uniqueTimestamp(): string {
  lastEpochMicros = Math.max(lastEpochMicros + 1, now() * 1_000 + Math.floor(Math.random() * 1_000));
  const epochMs = Math.floor(lastEpochMicros / 1_000);
  return `${timestamp(epochMs).slice(0, -1)}${String(lastEpochMicros % 1_000).padStart(3, "0")}Z`;
}
