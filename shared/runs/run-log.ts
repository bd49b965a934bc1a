import { isRetryableError } from "../dynamodb/is-retryable-error.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";
import { retryUntil } from "../lib/retry.ts";
import { type Frame, isTerminal } from "./events.ts";
import { appendToRunLog, LogConflictError, replaceReaperEnd } from "./run-log-store.ts";
import { STORE_TIMEOUT_MS } from "./store-answer.ts";

/**
 * Maximum time until frames are written while clients read the run from its log, or if clients receive only stored
 * frames.
 */
const SHORT_FLUSH_DELAY_MS = 200;

/** Number of characters of waiting frames that triggers a write. */
const MAX_SEGMENT_CHARACTERS = 8_000;

/** Writes a run's frames to its log in segments. A frame waits at most `RUN_CHECKPOINT_MS` for further ones. */
export class RunLog {
  readonly #scope: TenantScope;
  readonly #messageId: string;
  readonly #onStored: ((frames: readonly Frame[]) => void) | undefined;
  readonly #maxFlushDelayMs = Number(env("RUN_CHECKPOINT_MS").RUN_CHECKPOINT_MS);
  #pending: Frame[] = [];
  /** Segment whose write failed. It must be retried unchanged, because the failed write may have succeeded. */
  #failedSegment: readonly Frame[] = [];
  #pendingCharacters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writes: Promise<void> = Promise.resolve();
  #hasFollowers = false;
  #hasConflict = false;
  #isTakenOver = false;
  #lastWriteAt = now();

  /** @param onStored called in order with the frames of each segment after it was stored */
  constructor(scope: TenantScope, messageId: string, onStored?: (frames: readonly Frame[]) => void) {
    this.#scope = scope;
    this.#messageId = messageId;
    this.#onStored = onStored;
  }

  /** Epoch milliseconds of the last successful write, which counts as a heartbeat. */
  get lastWriteAt(): number {
    return this.#lastWriteAt;
  }

  /** Sets whether clients read the run from its log, so that frames are written sooner. */
  set hasFollowers(hasFollowers: boolean) {
    const isFirst = hasFollowers && !this.#hasFollowers;
    this.#hasFollowers = hasFollowers;
    if (isFirst) this.#flush();
  }

  add(frame: Frame): void {
    this.#pending.push(frame);
    this.#pendingCharacters += estimateSize(frame);
    if (isTerminal(frame.event) || this.#pendingCharacters >= MAX_SEGMENT_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#flushDelayMs());
  }

  /**
   * Writes all waiting frames and waits until they are stored. Retries for up to `STORE_TIMEOUT_MS` while the table is
   * unavailable; then gives up and logs an error. If the reaper has ended the log of this live run, the run's frames
   * replace the reaper's.
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

  /** Appends a segment, or replaces the frames with which the reaper has ended the log. */
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

  /** Retries the segment that failed before writing the next one, to preserve the order of frames. */
  async #writePending(): Promise<void> {
    if (this.#failedSegment.length > 0 && !(await this.#write(this.#failedSegment))) return;
    const segment = this.#pending;
    if (segment.length === 0 || this.#hasConflict) return;
    this.#pending = [];
    this.#pendingCharacters = 0;
    await this.#write(segment);
  }

  /** @returns true if the segment was written; errors are logged */
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

/** Estimates the length of a frame in the log, in characters. */
function estimateSize({ event }: Frame): number {
  if (event.type !== "assistant_message") return 200;
  return event.data.final ? JSON.stringify(event.data.content).length : event.data.content.length + 3;
}
