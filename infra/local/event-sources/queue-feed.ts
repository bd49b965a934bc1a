import { setTimeout as sleep } from "node:timers/promises";
import { region } from "../assembly/local-account.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { type Message, md5, type Queue } from "../queues/queue.ts";
import { systemAttributes } from "../queues/queue-api.ts";
import { type EventFilter, eventFilter } from "./event-filter.ts";

/**
 * Carries a queue's messages to a function: an event source mapping on SQS. Messages of a batch that succeeds are deleted, others
 * come back after the queue's visibility timeout.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export class QueueFeed {
  readonly #queue: Queue;
  readonly #lambda: LambdaFunction;
  readonly #host: FunctionHost;
  readonly #filter: EventFilter;
  readonly #batchSize: number;
  readonly #windowMs: number;
  readonly #reportsFailures: boolean;
  /** Batches at a time; five is what Lambda starts with. */
  readonly #concurrency: number;
  readonly #stopped = new AbortController();
  readonly #deliveries = new Set<Promise<void>>();
  readonly #running: Promise<void>;

  constructor(queue: Queue, mapping: Fields, lambda: LambdaFunction, host: FunctionHost) {
    this.#queue = queue;
    this.#lambda = lambda;
    this.#host = host;
    this.#filter = eventFilter(mapping.FilterCriteria);
    this.#batchSize = number(mapping.BatchSize, 10);
    this.#windowMs = number(mapping.MaximumBatchingWindowInSeconds, 0) * 1000;
    this.#reportsFailures = list(mapping.FunctionResponseTypes).includes("ReportBatchItemFailures");
    this.#concurrency = number(fields(mapping.ScalingConfig).MaximumConcurrency, 5);
    this.#running = this.#run();
  }

  /** Stops receiving, and waits for the deliveries under way. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await Promise.allSettled(this.#deliveries);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#queue.waiting(signal);
      const messages = signal.aborted ? [] : await this.#gather();
      if (messages.length === 0) continue;
      const delivery = this.#deliver(messages).finally(() => this.#deliveries.delete(delivery));
      this.#deliveries.add(delivery);
      if (this.#deliveries.size >= this.#concurrency) await Promise.race(this.#deliveries);
    }
  }

  /** One batch: what is there, or what comes within the mapping's window. */
  async #gather(): Promise<Message[]> {
    const messages = this.#queue.receive(this.#batchSize);
    const deadline = Date.now() + this.#windowMs;
    while (messages.length > 0 && messages.length < this.#batchSize && Date.now() < deadline) {
      await sleep(Math.min(50, deadline - Date.now()), undefined, { signal: this.#stopped.signal }).catch(() => {});
      if (this.#stopped.signal.aborted) break;
      messages.push(...this.#queue.receive(this.#batchSize - messages.length));
    }
    return messages;
  }

  async #deliver(messages: Message[]): Promise<void> {
    const records = messages.map((message) => ({ message, record: recordOf(message, this.#queue) }));
    const wanted = records.filter(({ record }) => this.#filter(parsed(record)));
    for (const { message } of records.filter((each) => !wanted.includes(each))) this.#delete(message);
    if (wanted.length === 0) return;
    try {
      const payload = await this.#host.invoke(this.#lambda, { Records: wanted.map(({ record }) => record) });
      const failures = this.#reportsFailures ? list(fields(JSON.parse(payload)).batchItemFailures) : [];
      const failed = new Set(failures.map((failure) => text(fields(failure).itemIdentifier)));
      for (const { message } of wanted) if (!failed.has(message.id)) this.#delete(message);
    } catch (error) {
      if (!(error instanceof FunctionError)) warn(this.#lambda.name, String(error));
    }
  }

  #delete({ receiptHandle }: Message): void {
    if (receiptHandle) this.#queue.delete(receiptHandle);
  }
}

function recordOf(message: Message, queue: Queue): Fields {
  const attributes = Object.entries(message.attributes).map(([name, value]) => {
    const { DataType, StringValue, BinaryValue } = fields(value);
    return [name, { dataType: DataType, stringValue: StringValue, binaryValue: BinaryValue }];
  });
  return {
    messageId: message.id,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: systemAttributes(message),
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: md5(message.body),
    eventSource: "aws:sqs",
    eventSourceARN: queue.options.arn,
    awsRegion: region,
  };
}

/** Filters look into bodies that are JSON. */
function parsed(record: Fields): Fields {
  try {
    return { ...record, body: JSON.parse(String(record.body)) };
  } catch {
    return record;
  }
}
