import type { Frame, RunEvent } from "./events.ts";

/** Where the frames of a run come from. */
export interface FrameSource<Event = RunEvent> {
  /** Frames with a `seq` above the given one; waits for one up to `patience` milliseconds, then gives none. */
  next(afterSeq: number, patience: number): Promise<readonly Frame<Event>[]>;
}

/** The frames of a run as they come, for any number of readers in this process; late ones get the earlier frames too. */
export class FrameFeed implements FrameSource {
  readonly #frames: Frame[] = [];
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();

  /** The latest frame. */
  get last(): Frame | undefined {
    return this.#frames.at(-1);
  }

  /** Adds the frame that follows the last one, and wakes the readers. */
  push(frame: Frame): void {
    this.#frames.push(frame);
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }

  async next(afterSeq: number, patience: number): Promise<readonly Frame[]> {
    if (afterSeq >= this.#frames.length) await this.#wait(patience);
    // `seq` counts from 1 without gaps, so it is the index of the frame after.
    return this.#frames.slice(afterSeq);
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
