import { setTimeout as sleep } from "node:timers/promises";
import { region } from "../assembly/local-account.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import { FunctionError } from "../functions/function-instance.ts";
import { invokeUnthrottled } from "../functions/lambda-api.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { md5, type Queue, type QueueMessage } from "../queues/queue.ts";
import { systemAttributes } from "../queues/queue-api.ts";
import { type EventFilter, eventFilter } from "./event-filter.ts";
import { isPermitted } from "./source-permissions.ts";

/**
 * IAM actions that a function's role needs to consume a queue.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html#events-sqs-permissions
 */
const queueActions = ["ReceiveMessage", "DeleteMessage", "GetQueueAttributes"];

/**
 * Event source mapping on an SQS queue: delivers messages to a function. Deletes the messages of a successful batch; others
 * become visible again after the visibility timeout.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
export class QueueFeed {
  readonly #queue: Queue;
  readonly #lambda: LambdaFunction;
  readonly #host: FunctionHost;
  readonly #filter: EventFilter;
  readonly #batchSize: number;
  readonly #windowMs: number;
  readonly #reportsItemFailures: boolean;
  /** Maximum number of concurrent batches. Lambda starts with five. */
  readonly #maxConcurrency: number;
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
    this.#reportsItemFailures = list(mapping.FunctionResponseTypes).includes("ReportBatchItemFailures");
    this.#maxConcurrency = number(fields(mapping.ScalingConfig).MaximumConcurrency, 5);
    this.#running = isPermitted(lambda, "sqs", queueActions, queue.options.arn) ? this.#run() : Promise.resolve();
  }

  /** Stops receiving and waits for the deliveries in flight. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await Promise.allSettled(this.#deliveries);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#queue.waitForMessage(signal);
      const messages = signal.aborted ? [] : await this.#receiveBatch();
      if (messages.length === 0) continue;
      const delivery = this.#deliver(messages).finally(() => this.#deliveries.delete(delivery));
      this.#deliveries.add(delivery);
      if (this.#deliveries.size >= this.#maxConcurrency) await Promise.race(this.#deliveries);
    }
  }

  /** Receives one batch. Waits up to the batching window for further messages. */
  async #receiveBatch(): Promise<QueueMessage[]> {
    const messages = this.#queue.receive(this.#batchSize);
    const deadline = Date.now() + this.#windowMs;
    while (messages.length > 0 && messages.length < this.#batchSize && Date.now() < deadline) {
      await sleep(Math.min(50, deadline - Date.now()), undefined, { signal: this.#stopped.signal }).catch(() => {});
      if (this.#stopped.signal.aborted) break;
      messages.push(...this.#queue.receive(this.#batchSize - messages.length));
    }
    return messages;
  }

  async #deliver(messages: QueueMessage[]): Promise<void> {
    const entries = messages.map((message) => ({ message, record: toRecord(message, this.#queue) }));
    const matching = entries.filter(({ record }) => this.#filter(withParsedBody(record)));
    for (const { message } of entries.filter((entry) => !matching.includes(entry))) this.#delete(message);
    if (matching.length === 0) return;
    try {
      const event = { Records: matching.map(({ record }) => record) };
      const visible = AbortSignal.timeout(this.#queue.options.visibilityTimeoutMs);
      const signal = AbortSignal.any([visible, this.#stopped.signal]);
      const payload = await invokeUnthrottled(() => this.#host.invoke(this.#lambda, event), { signal });
      const failures = this.#reportsItemFailures ? list(fields(JSON.parse(payload)).batchItemFailures) : [];
      const failed = new Set(failures.map((failure) => text(fields(failure).itemIdentifier)));
      for (const { message } of matching) if (!failed.has(message.id)) this.#delete(message);
    } catch (error) {
      if (!(error instanceof FunctionError)) warn(this.#lambda.name, String(error));
    }
  }

  #delete({ receiptHandle }: QueueMessage): void {
    if (receiptHandle) this.#queue.delete(receiptHandle);
  }
}

function toRecord(message: QueueMessage, queue: Queue): Fields {
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

/** Replaces a JSON body by its value, so that filters can match its fields. */
function withParsedBody(record: Fields): Fields {
  try {
    return { ...record, body: JSON.parse(String(record.body)) };
  } catch {
    return record;
  }
}
