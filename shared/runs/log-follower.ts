import { setTimeout as sleep } from "node:timers/promises";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { type Frame, isTerminal } from "./events.ts";
import type { FrameSource } from "./frame-feed.ts";
import { closeIfDead } from "./reap-dead-run.ts";
import { readLog, type StoredRun, writeControl } from "./run-store.ts";

/** Pause between two looks at the log, and between two looks for a sign of life, in milliseconds. */
const lookEvery = 200;
const checkEvery = 3_000;

/** How long one request to be followed lasts, in milliseconds; the run writes its log more often meanwhile. */
const followedFor = 10_000;

/**
 * Whether a run may have been ended in the name of a dead function. That may have shown more than it had logged: its
 * readers have seen other frames in this place and beyond, and have to be told the end all the same.
 */
const wasClosed = ({ event }: Frame) => event.type === "interrupted" && event.data.reason === "shutdown";

/** The frames of a run that another function is making, out of its log. */
export class LogFollower implements FrameSource {
  readonly #scope: TenantScope;
  readonly #run: StoredRun;
  #position: string | undefined;
  #waiting: Frame[] = [];
  /** The run's last frame. */
  #end: Frame | undefined;
  #nextCheck = 0;
  #followedUntil = 0;

  constructor(scope: TenantScope, run: StoredRun) {
    this.#scope = scope;
    this.#run = run;
  }

  async next(afterSeq: number, patience: number): Promise<readonly Frame[] | null> {
    const deadline = now() + patience;
    for (;;) {
      await this.#read();
      const frames = this.#waiting.filter(({ seq }) => seq > afterSeq);
      this.#waiting = [];
      if (frames.length > 0) return frames;
      if (this.#end) return afterSeq > this.#end.seq || wasClosed(this.#end) ? [this.#end] : null;
      if (now() + lookEvery > deadline) {
        await sleep(Math.max(0, deadline - now()));
        return [];
      }
      await this.#tend();
      await sleep(lookEvery);
    }
  }

  async #read(): Promise<void> {
    const { frames, position } = await readLog(this.#scope, this.#run.message_id, this.#position);
    this.#waiting.push(...frames);
    const last = frames.at(-1);
    if (last && isTerminal(last.event)) this.#end = last;
    this.#position = position;
  }

  /** Asks the run to write its log more often, and sees to it that a dead one is closed. */
  async #tend(): Promise<void> {
    const moment = now();
    if (moment > this.#followedUntil - followedFor / 2) {
      this.#followedUntil = moment + followedFor;
      await writeControl(this.#scope, this.#run.message_id, { followed_until: this.#followedUntil });
    }
    if (moment > this.#nextCheck) {
      this.#nextCheck = moment + checkEvery;
      await closeIfDead(this.#scope, this.#run);
    }
  }
}
