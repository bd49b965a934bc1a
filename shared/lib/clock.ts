/** Milliseconds since the epoch. */
export function now(): number {
  return Date.now();
}

/** ISO 8601 UTC timestamp in milliseconds, of now or of the given epoch milliseconds. */
export function timestamp(milliseconds = now()): string {
  return new Date(milliseconds).toISOString();
}

/** Epoch seconds `after` seconds from now, as DynamoDB's TTL wants them. */
export function expiresAfter(after: number): number {
  return Math.floor(now() / 1_000) + after;
}

let lastMicros = 0;

/**
 * ISO 8601 UTC timestamp in microseconds, strictly increasing within this process. The digits below the millisecond
 * are random, so that two processes hardly ever give the same.
 */
export function uniqueTimestamp(): string {
  lastMicros = Math.max(lastMicros + 1, now() * 1_000 + Math.floor(Math.random() * 1_000));
  const milliseconds = Math.floor(lastMicros / 1_000);
  return `${timestamp(milliseconds).slice(0, -1)}${String(lastMicros % 1_000).padStart(3, "0")}Z`;
}
