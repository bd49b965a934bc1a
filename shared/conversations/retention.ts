/** What a retention rule is applied to. */
export interface Retained {
  readonly last_activity_at: string;
  /** Days after its last activity that it is kept; without, it is kept for good. */
  readonly retention_days?: number;
  /** Epoch seconds of its end, as the table wants them. */
  readonly ttl?: number;
}

const day = 86_400;

/** When something ends that is kept for so many days after its last activity; undefined where it is kept for good. */
export function endOf(lastActivityAt: string, days: number | null | undefined): number | undefined {
  return typeof days === "number" ? Math.floor(Date.parse(lastActivityAt) / 1_000) + days * day : undefined;
}

/** Whether something ends when it should by its own account. */
export function endsInTime({ last_activity_at, retention_days, ttl }: Retained): boolean {
  return ttl === endOf(last_activity_at, retention_days);
}
