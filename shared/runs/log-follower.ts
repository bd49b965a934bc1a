import { setTimeout as sleep } from "node:timers/promises";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { type Frame, isTerminal } from "./events.ts";
import type { FrameSource } from "./frame-feed.ts";
import { type LifeSign, reapDeadRun } from "./reap-dead-run.ts";
import { writeRunControl } from "./run-control-store.ts";
import { readRunLog } from "./run-log-store.ts";
import { findRun, type StoredRun } from "./run-store.ts";

/** Interval between two reads of the log, in milliseconds. */
const POLL_INTERVAL_MS = 200;

/** Interval between two checks whether the run's function is still alive, in milliseconds. */
const LIVENESS_CHECK_INTERVAL_MS = 3_000;

/** Duration of the lease with which a reader announces itself, so that the run writes its log more often. */
const FOLLOW_LEASE_MS = 10_000;

/** Polls the log of a run that another function executes, and returns its frames. */
export class LogFollower implements FrameSource {
  readonly #scope: TenantScope;
  readonly #run: StoredRun;
  #cursor: string | undefined;
  #unreadFrames: Frame[] = [];
  #terminalFrame: Frame | undefined;
  #nextLivenessCheck = 0;
  #leaseEnd = 0;
  #lifeSign: LifeSign | undefined;

  constructor(scope: TenantScope, run: StoredRun) {
    this.#scope = scope;
    this.#run = run;
  }

  async next(afterSeq: number, timeoutMs: number): Promise<readonly Frame[] | null> {
    const deadline = now() + timeoutMs;
    for (;;) {
      await this.#poll();
      const frames = this.#unreadFrames.filter(({ seq }) => seq > afterSeq);
      this.#unreadFrames = [];
      if (frames.length > 0) return frames;
      const end = this.#terminalFrame;
      // The dead function may have streamed frames that it did not log, so a reader at or after the reaper's frame receives the end.
      if (end) return afterSeq > end.seq || end.isReaped ? [end] : null;
      if (now() + POLL_INTERVAL_MS > deadline) {
        await sleep(Math.max(0, deadline - now()));
        return [];
      }
      await this.#maintain(afterSeq);
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /**
   * Reads new frames from the log up to its first terminal event. If the reaper ended a run that is still alive, the
   * run may later replace that event and append frames; these are not read.
   */
  async #poll(): Promise<void> {
    if (this.#terminalFrame) return;
    const { frames, cursor } = await readRunLog(this.#scope, this.#run.message_id, this.#cursor);
    this.#cursor = cursor;
    this.#terminalFrame = frames.find(({ event }) => isTerminal(event));
    this.#unreadFrames.push(
      ...(this.#terminalFrame ? frames.slice(0, frames.indexOf(this.#terminalFrame) + 1) : frames),
    );
  }

  /** Renews the lease of this reader, and ends the run if its function has died. Does each only when it is due. */
  async #maintain(afterSeq: number): Promise<void> {
    const time = now();
    if (time > this.#leaseEnd - FOLLOW_LEASE_MS / 2) {
      this.#leaseEnd = time + FOLLOW_LEASE_MS;
      await writeRunControl(this.#scope, this.#run.message_id, { followed_until: this.#leaseEnd });
    }
    if (time > this.#nextLivenessCheck) {
      this.#nextLivenessCheck = time + LIVENESS_CHECK_INTERVAL_MS;
      const { state, sign } = await reapDeadRun(this.#scope, this.#run, this.#lifeSign);
      this.#lifeSign = sign;
      if (state === "ended") await this.#endIfRemoved(afterSeq);
    }
  }

  /** Ends the frames with an error if the run was deleted, because its log will never get a terminal event. */
  async #endIfRemoved(afterSeq: number): Promise<void> {
    await this.#poll();
    const { message_id, request_id } = this.#run;
    if (this.#terminalFrame || (await findRun(this.#scope, message_id))) return;
    const message = "The reply was removed before its end. Send the message again.";
    const seq = (this.#unreadFrames.at(-1)?.seq ?? afterSeq) + 1;
    const data = { code: "unavailable", message, status: 503, request_id, message_id };
    this.#terminalFrame = { seq, event: { type: "error", data } };
    this.#unreadFrames.push(this.#terminalFrame);
  }
}
