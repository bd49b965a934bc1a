import { canReadFindings, type Rights } from "../conversations/visible-checks.ts";
import { type Frame, isTerminal, type RunEvent } from "./events.ts";

export interface FrameSource<Event = RunEvent> {
  /**
   * Returns the frames after `afterSeq`. Waits up to `timeoutMs` for the first one; returns an empty array on timeout and
   * null if the run has ended at `afterSeq`.
   */
  next(afterSeq: number, timeoutMs: number): Promise<readonly Frame<Event>[] | null>;
}

/** In-memory frames of a run for any number of readers in this process; each reader can start at any frame. */
export class FrameFeed implements FrameSource {
  readonly #afterSeq: number;
  readonly #frames: Frame[] = [];
  #continuation: FrameSource | undefined;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers();

  /** @param afterSeq `seq` of the frame before the first one */
  constructor(afterSeq = 0) {
    this.#afterSeq = afterSeq;
  }

  /** `seq` of the latest frame. */
  get lastSeq(): number {
    return this.#afterSeq + this.#frames.length;
  }

  /** Sets the source of frames that follow the ones in memory. */
  continueWith(continuation: FrameSource): void {
    this.#continuation = continuation;
    this.#wakeReaders();
  }

  /** Appends the next frame and wakes the readers. */
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

/** Removes the findings of a check that changed nothing. The event stays, because the sequence of events has no gaps. */
async function hideFindings(frame: Frame, rights: Rights): Promise<Frame> {
  const { event } = frame;
  if (event.type !== "guardrail_result" || event.data.action !== "allow" || event.data.categories.length === 0)
    return frame;
  if (await canReadFindings(rights)) return frame;
  return { ...frame, event: { type: event.type, data: { ...event.data, categories: [], rules: [] } } };
}

/** Returns the frames of a run as a caller may see them. */
export const visibleFrames = (source: FrameSource, rights: Rights): FrameSource => ({
  async next(afterSeq, timeoutMs) {
    const frames = await source.next(afterSeq, timeoutMs);
    return frames && Promise.all(frames.map((frame) => hideFindings(frame, rights)));
  },
});
