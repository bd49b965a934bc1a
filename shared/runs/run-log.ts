import { isRetryableError } from "../dynamodb/is-retryable-error.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";
import { retryUntil } from "../lib/retry-until.ts";
import { type Frame, isTerminal } from "./events.ts";
import { appendToRunLog, LogConflictError, replaceReaperEnd } from "./run-log-store.ts";
import { STORE_TIMEOUT_MS } from "./store-answer.ts";

/** Flush delay while clients read the run through its log, or if clients receive stored frames only. */
const SHORT_FLUSH_DELAY_MS = 200;

/** Length of the pending frames that triggers a flush. */
const MAX_SEGMENT_CHARACTERS = 8_000;

/**
 * Writes a run's frames to its log in segments, each within `RUN_CHECKPOINT_MS` of its first frame.
 */
export class RunLog {
  readonly #scope: TenantScope;
  readonly #messageId: string;
  readonly #onStored: ((frames: readonly Frame[]) => void) | undefined;
  readonly #maxFlushDelayMs = Number(env("RUN_CHECKPOINT_MS").RUN_CHECKPOINT_MS);
  #pending: Frame[] = [];
  /** Segment awaiting retry; the previous write may have succeeded, so it must be resent unchanged. */
  #failedSegment: readonly Frame[] = [];
  #pendingCharacters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writes: Promise<void> = Promise.resolve();
  #hasFollowers = false;
  #hasConflict = false;
  #isTakenOver = false;
  #lastWriteAt = now();

  /** @param onStored called with the frames of each segment that was stored, in order */
  constructor(scope: TenantScope, messageId: string, onStored?: (frames: readonly Frame[]) => void) {
    this.#scope = scope;
    this.#messageId = messageId;
    this.#onStored = onStored;
  }

  /** Epoch milliseconds of the last successful write, which also counts as a heartbeat. */
  get lastWriteAt(): number {
    return this.#lastWriteAt;
  }

  /** Sets whether clients read the run through its log. */
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

  /**
   * Flushes the queue and waits until everything is stored. Retries for up to `STORE_TIMEOUT_MS` while the table is
   * unavailable. If the reaper has closed the log of this live run, the run's own frames replace the reaper's
   * closing frames.
   */
  async drain(): Promise<void> {
    this.#flush();
    await this.#writes;
    const segments = [this.#failedSegment, this.#pending].filter(({ length }) => length > 0);
    if (segments.length === 0 || this.#isTakenOver) return;
    this.#pending = [];
    this.#failedSegment = [];
    const deadline = now() + STORE_TIMEOUT_MS;
    try {
      for (const segment of segments) await retryUntil(() => this.#storeSegment(segment), isRetryableError, deadline);
    } catch (error) {
      // Another function writes this log now, so this function must not append frames to it.
      this.#isTakenOver = error instanceof LogConflictError;
      log.error("run log not completed", { message_id: this.#messageId, error });
    }
    this.#onStored?.(segments.flat());
  }

  /** Appends a segment. If the reaper has closed the log, the segment replaces the reaper's closing frames. */
  async #storeSegment(segment: readonly Frame[]): Promise<void> {
    try {
      if (!this.#hasConflict) return await appendToRunLog(this.#scope, this.#messageId, segment);
    } catch (error) {
      if (!(error instanceof LogConflictError)) throw error;
    }
    await replaceReaperEnd(this.#scope, this.#messageId, segment);
  }

  #flushDelayMs(): number {
    return this.#hasFollowers || this.#onStored ? SHORT_FLUSH_DELAY_MS : this.#maxFlushDelayMs;
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
    if (segment.length === 0 || this.#hasConflict) return;
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
      this.#onStored?.(segment);
      return true;
    } catch (error) {
      this.#failedSegment = segment;
      // The reaper ended this log because it saw no sign of life. The run continues, and `drain` stores the remaining
      // frames when the run ends.
      this.#hasConflict = error instanceof LogConflictError;
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
