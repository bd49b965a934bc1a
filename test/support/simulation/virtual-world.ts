import { AsyncLocalStorage } from "node:async_hooks";

/** Process of the simulated world: a function's execution environment that can stall or die. */
export interface SimulatedProcess {
  readonly name: string;
  isAlive: boolean;
  /** Virtual time until which the process does nothing, as after SIGSTOP. */
  stalledUntil: number;
}

interface ScheduledEvent {
  at: number;
  readonly order: number;
  readonly process: SimulatedProcess | undefined;
  readonly run: () => void;
  isCancelled: boolean;
}

/** One for all worlds: each further one would stay in the contexts of the following worlds, which copy it with every call. */
const processes = new AsyncLocalStorage<SimulatedProcess>();

/** World with a virtual clock: events happen one after the other, in the order of their virtual times. */
export class VirtualWorld {
  #events: ScheduledEvent[] = [];
  #order = 0;
  now: number;

  constructor(startMs: number) {
    this.now = startMs;
  }

  /** Process whose code is running; undefined outside of any. */
  get currentProcess(): SimulatedProcess | undefined {
    return processes.getStore();
  }

  createProcess(name: string): SimulatedProcess {
    return { name, isAlive: true, stalledUntil: 0 };
  }

  /** Starts work in a process immediately, and returns its result. */
  spawn(process: SimulatedProcess, work: () => Promise<unknown>): Promise<unknown> {
    return processes.run(process, work);
  }

  /** Schedules a callback of the current process. @returns a function that cancels it */
  schedule(delayMs: number, run: () => void): () => void {
    const at = this.now + Math.max(0, delayMs);
    const event = { at, order: this.#order++, process: this.currentProcess, run, isCancelled: false };
    this.#insert(event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Resolves after a virtual time. */
  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(delayMs, resolve));
  }

  /** Lets virtual time pass until no event is left or `untilMs` is reached. */
  async run(untilMs: number): Promise<void> {
    await this.#settle();
    for (;;) {
      const event = this.#events.at(-1);
      if (!event || event.at > untilMs) return;
      this.#events.pop();
      this.now = Math.max(this.now, event.at);
      const { process } = event;
      if (event.isCancelled || process?.isAlive === false) continue;
      if (process && process.stalledUntil > this.now) {
        event.at = process.stalledUntil;
        this.#insert(event);
        continue;
      }
      if (process) processes.run(process, event.run);
      else event.run();
      await this.#settle();
    }
  }

  /** Keeps the events in descending order, so that the next one is the last. */
  #insert(event: ScheduledEvent): void {
    let low = 0;
    for (let high = this.#events.length; low < high; ) {
      const middle = (low + high) >> 1;
      const other = this.#events[middle] as ScheduledEvent;
      if (other.at > event.at || (other.at === event.at && other.order > event.order)) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Waits until all promises that can resolve without an event have done so. */
  #settle(): Promise<void> {
    return new Promise((resolve) => void setImmediate(resolve));
  }
}
