import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FunctionHost } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { trace, warn } from "../log.ts";

/** A record of a stream, as functions get it, and its place in the stream. */
export type StreamRecord = { sequenceNumber: string; createdAt: number; event: Fields };

/** A batch that was given up, for the mapping's failure destination. */
export type GivenUp = { records: StreamRecord[]; requestId: string; attempts: number };

/** How an event source mapping wants failures handled. */
export type DeliveryOptions = {
  bisects: boolean;
  /** -1 for ever. */
  maximumRetries: number;
  /** Older records are given up; -1 for none. */
  maximumAgeSeconds: number;
  reportsFailures: boolean;
};

/** Reads a mapping's settings. */
export function deliveryOptions(mapping: Fields): DeliveryOptions {
  return {
    bisects: mapping.BisectBatchOnFunctionError === true,
    maximumRetries: number(mapping.MaximumRetryAttempts, -1),
    maximumAgeSeconds: number(mapping.MaximumRecordAgeInSeconds, -1),
    reportsFailures: list(mapping.FunctionResponseTypes).includes("ReportBatchItemFailures"),
  };
}

/**
 * Delivers records of a stream to a function, in order: a batch that fails is retried, bisected or cut as its mapping says, and
 * nothing behind it is delivered before it succeeded or was given up.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export class BatchDelivery {
  readonly #host: FunctionHost;
  readonly #lambda: LambdaFunction;
  readonly #options: DeliveryOptions;
  readonly #signal: AbortSignal;
  readonly #done: (last: StreamRecord) => void;
  readonly #giveUp: (batch: GivenUp) => void;

  /**
   * @param done told of the last record of every piece that needs no more attention
   * @param signal ends retrying, and leaves what was not delivered
   */
  constructor(
    host: FunctionHost,
    lambda: LambdaFunction,
    options: DeliveryOptions,
    signal: AbortSignal,
    done: (last: StreamRecord) => void,
    giveUp: (batch: GivenUp) => void,
  ) {
    this.#host = host;
    this.#lambda = lambda;
    this.#options = options;
    this.#signal = signal;
    this.#done = done;
    this.#giveUp = giveUp;
  }

  async deliver(records: StreamRecord[]): Promise<void> {
    let batch = records;
    for (let attempts = 1; !this.#signal.aborted; attempts++) {
      const requestId = randomUUID();
      const failedAt = await this.#attempt(batch, requestId);
      const last = batch[failedAt - 1];
      if (last) this.#done(last);
      batch = batch.slice(failedAt);
      const [first] = batch;
      // A batch cut off by the end of the runner has not failed: it comes again at the next start.
      if (!first || this.#signal.aborted) return;
      if (this.#isExhausted(attempts) || this.#isTooOld(first)) {
        this.#giveUp({ records: batch, requestId, attempts });
        this.#done(batch.at(-1) ?? first);
        return;
      }
      await this.#backOff(attempts);
      if (this.#options.bisects && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await this.deliver(batch.slice(0, middle));
        await this.deliver(batch.slice(middle));
        return;
      }
    }
  }

  /** Index of the first record that failed; the batch's length when none did. */
  async #attempt(batch: StreamRecord[], requestId: string): Promise<number> {
    try {
      const event = { Records: batch.map((record) => record.event) };
      const payload = await this.#host.invoke(this.#lambda, event, undefined, requestId);
      return this.#options.reportsFailures ? firstFailure(batch, fields(JSON.parse(payload))) : batch.length;
    } catch (error) {
      if (!(error instanceof FunctionError)) warn(this.#lambda.name, String(error));
      return 0;
    }
  }

  #isExhausted(attempts: number): boolean {
    return this.#options.maximumRetries >= 0 && attempts > this.#options.maximumRetries;
  }

  #isTooOld({ createdAt }: StreamRecord): boolean {
    const { maximumAgeSeconds } = this.#options;
    return maximumAgeSeconds >= 0 && Date.now() / 1000 - createdAt > maximumAgeSeconds;
  }

  /** Doubling from a fifth of a second to half a minute. */
  async #backOff(attempts: number): Promise<void> {
    const pause = Math.min(200 * 2 ** (attempts - 1), 30_000);
    trace(this.#lambda.name, () => `tries its batch again in ${pause} ms`);
    await sleep(pause, undefined, { signal: this.#signal }).catch(() => {});
  }
}

/** An identifier that is not in the batch fails all of it, as on AWS. */
function firstFailure(batch: StreamRecord[], result: Fields): number {
  const indexes = list(result.batchItemFailures).map((failure) => {
    const identifier = text(fields(failure).itemIdentifier);
    return batch.findIndex(({ sequenceNumber }) => sequenceNumber === identifier);
  });
  return Math.max(0, Math.min(batch.length, ...indexes));
}
