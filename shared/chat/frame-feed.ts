import type { Frame } from "./events.ts";

/** The frames of a run as they come, for any number of readers in this process; late ones get the earlier frames too. */
export class FrameFeed {
  readonly #frames: Frame[] = [];
  #closed = false;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Adds a frame and wakes the readers. */
  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#notify();
  }

  /** No more frames will come. */
  close(): void {
    this.#closed = true;
    this.#notify();
  }

  /** Whether the frame at `index` (0 is the first) will never come. */
  endsAt(index: number): boolean {
    return this.#closed && index >= this.#frames.length;
  }

  /** Frames from `index` on; waits for one up to `patience` milliseconds, then gives none. */
  async from(index: number, patience: number): Promise<readonly Frame[]> {
    if (index >= this.#frames.length && !this.#closed) await this.#wait(patience);
    return this.#frames.slice(index);
  }

  async #wait(patience: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([this.#wake.promise, timeout]);
    clearTimeout(timer);
  }

  #notify(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }
}
