import { now } from "../clock.ts";
import { appendToLog } from "../data/run-store.ts";
import type { TenantScope } from "../data/tenant-scope.ts";
import { log } from "../log.ts";
import { type Frame, isTerminal } from "./events.ts";

/** Shortest and longest wait between two segments, in milliseconds; in between it grows with the run's age. */
const shortestWait = 500;
const longestWait = 4_000;

/** Characters of waiting frames that make a segment due at once. */
const fullSegment = 8_000;

/**
 * Writes a run's frames to its log, several to a segment: the longer a run lasts the rarer, so that a long answer
 * costs few writes and a short one is still kept piece by piece.
 */
export class RunLog {
  readonly #scope: TenantScope;
  readonly #messageId: string;
  readonly #startedAt = now();
  #waiting: Frame[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(scope: TenantScope, messageId: string) {
    this.#scope = scope;
    this.#messageId = messageId;
  }

  /** Takes a frame; it is in the table a little later. */
  add(frame: Frame): void {
    this.#waiting.push(frame);
    this.#characters +=
      frame.event.type === "assistant_message" && !frame.event.data.final ? frame.event.data.content.length : 200;
    if (isTerminal(frame.event) || this.#characters >= fullSegment) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#wait());
  }

  /** Waits until every frame taken so far has been written, or could not be. */
  async settled(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #wait(): number {
    return Math.min(longestWait, Math.max(shortestWait, now() - this.#startedAt));
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const segment = this.#waiting;
    if (segment.length === 0) return;
    this.#waiting = [];
    this.#characters = 0;
    this.#writing = this.#writing.then(() => this.#write(segment));
  }

  /** A segment that cannot be written costs its frames, never the run: the message has the whole answer. */
  async #write(segment: readonly Frame[]): Promise<void> {
    try {
      await appendToLog(this.#scope, this.#messageId, segment);
    } catch (error) {
      log.error("run log not written", { message_id: this.#messageId, error });
    }
  }
}
