import { type Frame, isTerminal, type RunEvent } from "./events.ts";

/** Where the frames of a run come from. */
export interface FrameSource<Event = RunEvent> {
  /** Frames with a `seq` above the given one; waits for one up to `patience` milliseconds, then gives none; null where the run ended there. */
  next(afterSeq: number, patience: number): Promise<readonly Frame<Event>[] | null>;
}

/** The frames of a run as they come, for any number of readers in this process; late ones get the earlier frames too. */
export class FrameFeed implements FrameSource {
  readonly #afterSeq: number;
  readonly #frames: Frame[] = [];
  #rest: FrameSource | undefined;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();

  /** @param afterSeq `seq` of the frame before the first one */
  constructor(afterSeq = 0) {
    this.#afterSeq = afterSeq;
  }

  /** `seq` of the latest frame. */
  get lastSeq(): number {
    return this.#afterSeq + this.#frames.length;
  }

  /** Lets the readers have what follows on these frames, if anything does, from elsewhere. */
  goOnWith(rest: FrameSource): void {
    this.#rest = rest;
    this.#wakeReaders();
  }

  /** Adds the frame that follows the last one, and wakes the readers. */
  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#wakeReaders();
  }

  #wakeReaders(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }

  async next(afterSeq: number, patience: number): Promise<readonly Frame[] | null> {
    const last = this.#frames.at(-1);
    if (last && afterSeq >= last.seq && isTerminal(last.event)) return null;
    if (afterSeq >= this.lastSeq && this.#rest) return this.#rest.next(afterSeq, patience);
    if (afterSeq >= this.lastSeq) await this.#wait(patience);
    // `seq` counts without gaps, so it tells the index of the frame after.
    return this.#frames.slice(Math.max(0, afterSeq - this.#afterSeq));
  }

  async #wait(patience: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([this.#wake.promise, timeout]);
    clearTimeout(timer);
  }
}
