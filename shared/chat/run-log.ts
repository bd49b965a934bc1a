import { now } from "../clock.ts";
import { appendToLog, LogTaken } from "../data/run-store.ts";
import type { TenantScope } from "../data/tenant-scope.ts";
import { log } from "../log.ts";
import { type Frame, isTerminal } from "./events.ts";

/** Shortest and longest wait between two segments, in milliseconds; in between it grows with the run's age. */
const shortestWait = 500;
const longestWait = 4_000;

/** The wait while somebody follows the run from elsewhere. */
const followedWait = 200;

/** Characters of waiting frames that make a segment due at once. */
const fullSegment = 8_000;

/**
 * Writes a run's frames to its log, several to a segment: the longer a run lasts the rarer, so that a long answer
 * costs few writes and a short one is still kept piece by piece.
 */
export class RunLog {
  readonly #scope: TenantScope;
  readonly #messageId: string;
  readonly #onTaken: () => void;
  readonly #startedAt = now();
  #waiting: Frame[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #followed = false;
  #taken = false;
  #writtenAt = now();

  /** @param onTaken called when somebody else has ended this run */
  constructor(scope: TenantScope, messageId: string, onTaken: () => void) {
    this.#scope = scope;
    this.#messageId = messageId;
    this.#onTaken = onTaken;
  }

  /** Epoch milliseconds of the last segment that was written: a sign of life by itself. */
  get writtenAt(): number {
    return this.#writtenAt;
  }

  /** Whether somebody follows the run through its log. */
  set followed(followed: boolean) {
    const begins = followed && !this.#followed;
    this.#followed = followed;
    if (begins) this.#flush();
  }

  /** Takes a frame; it is in the table a little later. */
  add(frame: Frame): void {
    this.#waiting.push(frame);
    this.#characters += sizeOf(frame);
    if (isTerminal(frame.event) || this.#characters >= fullSegment) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#wait());
  }

  /** Waits until every frame taken so far has been written, or could not be. */
  async settled(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #wait(): number {
    if (this.#followed) return followedWait;
    return Math.min(longestWait, Math.max(shortestWait, now() - this.#startedAt));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeWaiting());
  }

  /** A segment that cannot be written waits for the next one; the order of frames in the log never changes. */
  async #writeWaiting(): Promise<void> {
    const segment = this.#waiting;
    if (segment.length === 0 || this.#taken) return;
    this.#waiting = [];
    this.#characters = 0;
    try {
      await appendToLog(this.#scope, this.#messageId, segment);
      this.#writtenAt = now();
    } catch (error) {
      this.#taken = error instanceof LogTaken;
      if (this.#taken) this.#onTaken();
      else this.#waiting = [...segment, ...this.#waiting];
      log.error("run log not written", { message_id: this.#messageId, error });
    }
  }
}

/** Characters a frame takes in the log, roughly. */
function sizeOf({ event }: Frame): number {
  if (event.type !== "assistant_message") return 200;
  return event.data.final ? JSON.stringify(event.data.content).length : event.data.content.length + 3;
}
