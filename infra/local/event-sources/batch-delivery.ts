import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { FunctionHost } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import { invokeUnthrottled } from "../functions/lambda-api.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { trace, warn } from "../log.ts";

/** Stream record in the form that functions get, with its position in the stream. */
export interface StreamRecord {
  sequenceNumber: string;
  /** Epoch seconds. */
  createdAt: number;
  event: Fields;
}

/** Batch that is not retried any more and goes to the on-failure destination. */
export interface FailedBatch {
  records: StreamRecord[];
  requestId: string;
  attempts: number;
}

/** Settings of an event source mapping that control retries. */
interface DeliveryOptions {
  bisectsOnError: boolean;
  /** Maximum number of retries; -1 retries until the record expires. */
  maxRetries: number;
  /** Maximum age of a record that is retried; -1 for no limit. */
  maxAgeSeconds: number;
  reportsItemFailures: boolean;
}

/** Returns the retry settings of an event source mapping. */
export function deliveryOptions(mapping: Fields): DeliveryOptions {
  return {
    bisectsOnError: mapping.BisectBatchOnFunctionError === true,
    maxRetries: number(mapping.MaximumRetryAttempts, -1),
    maxAgeSeconds: number(mapping.MaximumRecordAgeInSeconds, -1),
    reportsItemFailures: list(mapping.FunctionResponseTypes).includes("ReportBatchItemFailures"),
  };
}

/**
 * Delivers stream records to a function in order. A failed batch is retried, bisected or truncated according to the mapping's
 * settings. Later records wait until it succeeds or its retries are exhausted.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export class BatchDelivery {
  readonly #host: FunctionHost;
  readonly #lambda: LambdaFunction;
  readonly #options: DeliveryOptions;
  readonly #signal: AbortSignal;
  readonly #onProcessed: (last: StreamRecord) => void;
  readonly #onExhausted: (batch: FailedBatch) => void;

  /**
   * @param signal stops retries; remaining records stay undelivered
   * @param onProcessed called with the last record of each processed part of a batch
   * @param onExhausted called with batches that are discarded
   */
  constructor(
    host: FunctionHost,
    lambda: LambdaFunction,
    options: DeliveryOptions,
    signal: AbortSignal,
    onProcessed: (last: StreamRecord) => void,
    onExhausted: (batch: FailedBatch) => void,
  ) {
    this.#host = host;
    this.#lambda = lambda;
    this.#options = options;
    this.#signal = signal;
    this.#onProcessed = onProcessed;
    this.#onExhausted = onExhausted;
  }

  async deliver(records: StreamRecord[]): Promise<void> {
    let batch = records;
    for (let attempts = 1; !this.#signal.aborted; attempts++) {
      const requestId = randomUUID();
      const failedAt = await this.#attempt(batch, requestId);
      const last = batch[failedAt - 1];
      if (last) this.#onProcessed(last);
      batch = batch.slice(failedAt);
      const [first] = batch;
      // A batch that the shutdown interrupts has not failed; it is delivered again after the next start.
      if (!first || this.#signal.aborted) return;
      if (this.#isExhausted(attempts) || this.#isTooOld(first)) {
        this.#onExhausted({ records: batch, requestId, attempts });
        this.#onProcessed(batch.at(-1) ?? first);
        return;
      }
      await this.#backOff(attempts);
      if (this.#options.bisectsOnError && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await this.deliver(batch.slice(0, middle));
        await this.deliver(batch.slice(middle));
        return;
      }
    }
  }

  /** Invokes the function. Returns the index of the first failed record, or the batch length if all succeeded. */
  async #attempt(batch: StreamRecord[], requestId: string): Promise<number> {
    try {
      const event = { Records: batch.map((record) => record.event) };
      const invoke = () => this.#host.invoke(this.#lambda, event, undefined, requestId);
      const payload = await invokeUnthrottled(invoke, { signal: this.#signal });
      return this.#options.reportsItemFailures ? firstFailedIndex(batch, fields(JSON.parse(payload))) : batch.length;
    } catch (error) {
      if (!(error instanceof FunctionError)) warn(this.#lambda.name, String(error));
      return 0;
    }
  }

  #isExhausted(attempts: number): boolean {
    return this.#options.maxRetries >= 0 && attempts > this.#options.maxRetries;
  }

  #isTooOld({ createdAt }: StreamRecord): boolean {
    const { maxAgeSeconds } = this.#options;
    return maxAgeSeconds >= 0 && Date.now() / 1000 - createdAt > maxAgeSeconds;
  }

  /** Waits with exponential backoff, from 200 ms to 30 s. */
  async #backOff(attempts: number): Promise<void> {
    const delayMs = Math.min(200 * 2 ** (attempts - 1), 30_000);
    trace(this.#lambda.name, () => `retrying the batch in ${delayMs} ms`);
    await sleep(delayMs, undefined, { signal: this.#signal }).catch(() => {});
  }
}

/** Finds the first failed record. As on AWS, an identifier that is not in the batch fails the whole batch. */
function firstFailedIndex(batch: StreamRecord[], result: Fields): number {
  const indexes = list(result.batchItemFailures).map((failure) => {
    const identifier = text(fields(failure).itemIdentifier);
    return batch.findIndex(({ sequenceNumber }) => sequenceNumber === identifier);
  });
  return Math.max(0, Math.min(batch.length, ...indexes));
}
