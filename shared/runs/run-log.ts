import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { type Frame, isTerminal } from "./events.ts";
import { appendToLog, LogTaken } from "./run-store.ts";

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
  /** A segment that is tried again as it is: it may be in the table, and only the answer got lost. */
  #unwritten: readonly Frame[] = [];
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

  /** What could not be written comes first; the order of frames in the log never changes. */
  async #writeWaiting(): Promise<void> {
    if (this.#unwritten.length > 0 && !(await this.#write(this.#unwritten))) return;
    const segment = this.#waiting;
    if (segment.length === 0) return;
    this.#waiting = [];
    this.#characters = 0;
    await this.#write(segment);
  }

  /** Whether a segment is in the table now. */
  async #write(segment: readonly Frame[]): Promise<boolean> {
    if (this.#taken) return false;
    try {
      await appendToLog(this.#scope, this.#messageId, segment);
      this.#unwritten = [];
      this.#writtenAt = now();
      return true;
    } catch (error) {
      this.#unwritten = segment;
      this.#taken = error instanceof LogTaken;
      if (this.#taken) this.#onTaken();
      log.error("run log not written", { message_id: this.#messageId, error });
      return false;
    }
  }
}

/** Characters a frame takes in the log, roughly. */
function sizeOf({ event }: Frame): number {
  if (event.type !== "assistant_message") return 200;
  return event.data.final ? JSON.stringify(event.data.content).length : event.data.content.length + 3;
}
