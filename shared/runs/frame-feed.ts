import { type Frame, isTerminal, type RunEvent } from "./events.ts";

export interface FrameSource<Event = RunEvent> {
  /**
   * Returns the frames after `afterSeq`. Waits up to `timeoutMs` for the first one; returns an empty array on timeout and
   * null if the run has ended at `afterSeq`.
   */
  next(afterSeq: number, timeoutMs: number): Promise<readonly Frame<Event>[] | null>;
}

/** Frames of a run in memory. Any number of readers in this process can read them, each from any frame on. */
export class FrameFeed implements FrameSource {
  readonly #afterSeq: number;
  readonly #frames: Frame[] = [];
  #continuation: FrameSource | undefined;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();

  /** @param afterSeq `seq` of the last frame before this feed; 0 for a new run */
  constructor(afterSeq = 0) {
    this.#afterSeq = afterSeq;
  }

  /** `seq` of the latest frame; that of the last frame before this feed if there is none yet. */
  get lastSeq(): number {
    return this.#afterSeq + this.#frames.length;
  }

  /** Sets the source that readers use after the frames in memory, for a run that another function continues. */
  continueWith(continuation: FrameSource): void {
    this.#continuation = continuation;
    this.#wakeReaders();
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }

  async next(afterSeq: number, timeoutMs: number): Promise<readonly Frame[] | null> {
    const last = this.#frames.at(-1);
    if (last && afterSeq >= last.seq && isTerminal(last.event)) return null;
    if (afterSeq >= this.lastSeq && this.#continuation) return this.#continuation.next(afterSeq, timeoutMs);
    if (afterSeq >= this.lastSeq) await this.#wait(timeoutMs);
    // `seq` has no gaps, so it determines the index.
    return this.#frames.slice(Math.max(0, afterSeq - this.#afterSeq));
  }

  async #wait(timeoutMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs);
    });
    await Promise.race([this.#wake.promise, timeout]);
    clearTimeout(timer);
  }
}
