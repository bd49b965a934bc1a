import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { type Frame, isTerminal } from "./events.ts";
import { appendToRunLog, LogConflictError } from "./run-log-store.ts";

/** Bounds of the flush delay, which grows with the run's age. */
const MIN_FLUSH_DELAY_MS = 500;
const MAX_FLUSH_DELAY_MS = 4_000;

/** Flush delay while the run is followed through its log. */
const FOLLOWED_FLUSH_DELAY_MS = 200;

/** Length of the pending frames that triggers a flush. */
const MAX_SEGMENT_CHARACTERS = 8_000;

/**
 * Writes a run's frames to its log in segments. The flush delay grows with the run's age, so that a long answer takes few
 * writes and a short one is still stored in small parts.
 */
export class RunLog {
  readonly #scope: TenantScope;
  readonly #messageId: string;
  readonly #onConflict: () => void;
  readonly #startedAt = now();
  #pending: Frame[] = [];
  /** Segment awaiting retry; the previous write may have succeeded, so it must be resent unchanged. */
  #failedSegment: readonly Frame[] = [];
  #pendingCharacters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writes: Promise<void> = Promise.resolve();
  #hasFollowers = false;
  #hasConflict = false;
  #lastWriteAt = now();

  /** @param onConflict called when another function has ended or continued this run */
  constructor(scope: TenantScope, messageId: string, onConflict: () => void) {
    this.#scope = scope;
    this.#messageId = messageId;
    this.#onConflict = onConflict;
  }

  /** Epoch milliseconds of the last successful write, which also counts as a heartbeat. */
  get lastWriteAt(): number {
    return this.#lastWriteAt;
  }

  /** Sets whether the run is followed through its log. */
  set hasFollowers(hasFollowers: boolean) {
    const isFirst = hasFollowers && !this.#hasFollowers;
    this.#hasFollowers = hasFollowers;
    if (isFirst) this.#flush();
  }

  /** Queues a frame for the next segment. */
  add(frame: Frame): void {
    this.#pending.push(frame);
    this.#pendingCharacters += estimateSize(frame);
    if (isTerminal(frame.event) || this.#pendingCharacters >= MAX_SEGMENT_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#flushDelayMs());
  }

  /** Flushes the queue and waits until every write has succeeded or failed. */
  async drain(): Promise<void> {
    this.#flush();
    await this.#writes;
  }

  #flushDelayMs(): number {
    if (this.#hasFollowers) return FOLLOWED_FLUSH_DELAY_MS;
    return Math.min(MAX_FLUSH_DELAY_MS, Math.max(MIN_FLUSH_DELAY_MS, now() - this.#startedAt));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writes = this.#writes.then(() => this.#writePending());
  }

  /** Retries the failed segment before it writes the next one, to preserve the order of frames. */
  async #writePending(): Promise<void> {
    if (this.#failedSegment.length > 0 && !(await this.#write(this.#failedSegment))) return;
    const segment = this.#pending;
    if (segment.length === 0) return;
    this.#pending = [];
    this.#pendingCharacters = 0;
    await this.#write(segment);
  }

  /** @returns true if the segment was written */
  async #write(segment: readonly Frame[]): Promise<boolean> {
    if (this.#hasConflict) return false;
    try {
      await appendToRunLog(this.#scope, this.#messageId, segment);
      this.#failedSegment = [];
      this.#lastWriteAt = now();
      return true;
    } catch (error) {
      this.#failedSegment = segment;
      this.#hasConflict = error instanceof LogConflictError;
      if (this.#hasConflict) this.#onConflict();
      log.error("run log write failed", { message_id: this.#messageId, error });
      return false;
    }
  }
}

/** Estimates the number of characters that a frame takes in the log. */
function estimateSize({ event }: Frame): number {
  if (event.type !== "assistant_message") return 200;
  return event.data.final ? JSON.stringify(event.data.content).length : event.data.content.length + 3;
}
