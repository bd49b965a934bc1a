import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { region } from "../assembly/local-account.ts";
import { AwsException, awsJson } from "../aws-json.ts";
import type { Bucket } from "../buckets/buckets.ts";
import { messageOf } from "../failure.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import type { Queue } from "../queues/queue.ts";
import { BatchDelivery, deliveryOptions, type FailedBatch, type StreamRecord } from "./batch-delivery.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { type EventFilter, eventFilter } from "./event-filter.ts";
import { failureRecord, storeFailure } from "./failure-destination.ts";
import { isPermitted } from "./source-permissions.ts";

interface ChangeFeedOptions {
  /** Name under which the position of the feed is stored. */
  name: string;
  /** Properties of the `AWS::Lambda::EventSourceMapping`. */
  mapping: Fields;
  lambda: LambdaFunction;
  host: FunctionHost;
  tableEndpoint: string;
  checkpoints: Checkpoints;
  /** Queues by ARN and buckets by name, one of which is the destination of failed batches. */
  queues: Map<string, Queue>;
  buckets: Map<string, Bucket>;
}

/**
 * IAM actions that a function's role needs to read the stream.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html#events-dynamodb-permissions
 */
const streamActions = ["DescribeStream", "GetRecords", "GetShardIterator"];

/** Poll interval while changes arrive; an idle feed waits longer between polls. */
const activePollIntervalMs = 100;
const idlePollIntervalMs = 1000;
/** Time after the last activity for which a feed stays active. */
const activePeriodMs = 3000;
/** Page size of stream reads. Parsing a page blocks requests, so pages must be small. */
const maxRecordsPerRead = 200;

/**
 * Event source mapping on a DynamoDB stream: reads the stream of the table server and delivers the changes to a function.
 * Shards are read one after the other, parents first, which preserves the order of changes.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #tableName: string;
  readonly #filter: EventFilter;
  readonly #batchSize: number;
  readonly #windowMs: number;
  readonly #delivery: BatchDelivery;
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #interruptPause: () => void = () => {};
  #activeUntil = 0;
  #streamArn = "";
  #shard = "";
  #iterator: string | undefined;
  /** Records that passed the filter and are not delivered yet. */
  #pending: StreamRecord[] = [];
  #pendingSince = 0;

  constructor(options: ChangeFeedOptions) {
    const { mapping, host, lambda } = options;
    this.#options = options;
    this.#tableName = /:table\/([^/]+)/.exec(text(mapping.EventSourceArn) ?? "")?.[1] ?? "";
    this.#filter = eventFilter(mapping.FilterCriteria);
    this.#batchSize = number(mapping.BatchSize, 100);
    this.#windowMs = number(mapping.MaximumBatchingWindowInSeconds, 0) * 1000;
    this.#delivery = new BatchDelivery(
      host,
      lambda,
      deliveryOptions(mapping),
      this.#stopped.signal,
      (last) => this.#setCheckpoint(last.sequenceNumber),
      (batch) => this.#discard(batch),
    );
    this.#running = this.#isPermitted() ? this.#run() : Promise.resolve();
  }

  #isPermitted(): boolean {
    const { lambda, mapping } = this.#options;
    const mayRead = isPermitted(lambda, "dynamodb", streamActions, text(mapping.EventSourceArn) ?? "");
    return isPermitted(lambda, "dynamodb", ["ListStreams"], "*") && mayRead;
  }

  /** Tells the feed that the table was probably written, so that it polls sooner. */
  nudge(): void {
    this.#activeUntil = Date.now() + activePeriodMs;
    this.#interruptPause();
  }

  /** Stops after the delivery in progress. Records that were not delivered are read again after the next start. */
  async close(): Promise<void> {
    this.#stopped.abort();
    this.#interruptPause();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      let pauseMs: number;
      try {
        const read = await this.#poll();
        if (read > 0) this.#activeUntil = Date.now() + activePeriodMs;
        pauseMs =
          Date.now() < this.#activeUntil || this.#pending.length > 0 ? activePollIntervalMs : idlePollIntervalMs;
        // Pauses even while changes arrive, so that a feed delivers batches and not single changes.
        if (read >= maxRecordsPerRead) pauseMs = 0;
      } catch (error) {
        // The next attempt resumes from the checkpoint.
        this.#iterator = undefined;
        this.#pending = [];
        if (!isExpiredIterator(error) && !this.#stopped.signal.aborted) {
          warn(this.#options.lambda.name, `cannot read the stream of ${this.#tableName}: ${messageOf(error)}`);
        }
        pauseMs = idlePollIntervalMs;
      }
      if (pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  /** Waits between polls. `nudge` shortens the wait, but not below the poll interval of an active feed. */
  async #pause(pauseMs: number): Promise<void> {
    const { signal } = this.#stopped;
    await sleep(Math.min(pauseMs, activePollIntervalMs), undefined, { signal }).catch(() => {});
    if (pauseMs <= activePollIntervalMs || Date.now() < this.#activeUntil || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs - activePollIntervalMs);
      this.#interruptPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Reads one page and delivers the batches that are due. Returns the number of records read. */
  async #poll(): Promise<number> {
    this.#iterator ??= await this.#openIterator();
    const output = fields(await this.#call("GetRecords", { ShardIterator: this.#iterator, Limit: maxRecordsPerRead }));
    const records = list(output.Records).map(fields);
    const matching = records
      .filter((record) => this.#filter(record) && hasChange(record))
      .map((record) => toStreamRecord(record, this.#options.mapping));
    if (this.#pending.length === 0) this.#pendingSince = Date.now();
    this.#pending.push(...matching);
    const due = this.#windowMs === 0 || Date.now() - this.#pendingSince >= this.#windowMs;
    while (this.#pending.length >= this.#batchSize || (due && this.#pending.length > 0)) {
      await this.#delivery.deliver(this.#pending.slice(0, this.#batchSize));
      if (this.#stopped.signal.aborted) return 0;
      this.#pending = this.#pending.slice(this.#batchSize);
      this.#pendingSince = Date.now();
    }
    const last = records.at(-1);
    if (last && this.#pending.length === 0) this.#setCheckpoint(sequenceNumberOf(last));
    this.#iterator = text(output.NextShardIterator);
    if (this.#iterator === undefined && this.#pending.length === 0) await this.#advanceShard();
    return records.length;
  }

  async #openIterator(): Promise<string> {
    const position = await this.#startPosition();
    this.#shard = String(position.shard);
    const after = text(position.after);
    const output = fields(
      await this.#call("GetShardIterator", {
        StreamArn: this.#streamArn,
        ShardId: this.#shard,
        ...(after === undefined
          ? { ShardIteratorType: position.latest === true ? "LATEST" : "TRIM_HORIZON" }
          : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: after }),
      }),
    );
    return String(output.ShardIterator);
  }

  /**
   * Returns the stored position, or the starting position of a new mapping. Stores the position for LATEST immediately, so
   * that no records are skipped after a crash.
   */
  async #startPosition(): Promise<Fields> {
    const shards = await this.#shards();
    const checkpoint = this.#options.checkpoints.get(this.#options.name);
    if (checkpoint && shards.some(({ ShardId }) => ShardId === checkpoint.shard)) return checkpoint;
    const latest = this.#options.mapping.StartingPosition === "LATEST" && !checkpoint;
    const shard = latest ? shards.at(-1) : shards[0];
    const after = latest ? text(fields(shard?.SequenceNumberRange).EndingSequenceNumber) : undefined;
    const position = { shard: shard?.ShardId, ...(after === undefined ? { latest } : { after }) };
    if (after !== undefined) this.#options.checkpoints.set(this.#options.name, position);
    return position;
  }

  async #shards(): Promise<Fields[]> {
    const { Streams } = fields(await this.#call("ListStreams", { TableName: this.#tableName }));
    const arn = text(fields(list(Streams)[0]).StreamArn);
    if (arn === undefined) throw new Error("the table has no stream");
    this.#streamArn = arn;
    const { StreamDescription } = fields(await this.#call("DescribeStream", { StreamArn: arn }));
    return list(fields(StreamDescription).Shards).map(fields);
  }

  async #advanceShard(): Promise<void> {
    const shards = await this.#shards();
    const next = shards[shards.findIndex(({ ShardId }) => ShardId === this.#shard) + 1];
    if (next) this.#options.checkpoints.set(this.#options.name, { shard: next.ShardId });
  }

  #setCheckpoint(sequenceNumber: string): void {
    this.#options.checkpoints.set(this.#options.name, { shard: this.#shard, after: sequenceNumber });
  }

  #discard(batch: FailedBatch): void {
    const { lambda, mapping, queues, buckets } = this.#options;
    warn(lambda.name, `discarded ${batch.records.length} changes after ${batch.attempts} attempts`);
    const destination = text(fields(fields(mapping.DestinationConfig).OnFailure).Destination);
    if (destination === undefined) return;
    const record = failureRecord(batch, lambda.arn, this.#shard, String(mapping.EventSourceArn));
    storeFailure(record, batch, lambda, destination, { queues, buckets });
  }

  #call(operation: string, input: object): Promise<unknown> {
    return awsJson(this.#options.tableEndpoint, `DynamoDBStreams_20120810.${operation}`, input);
  }
}

const sequenceNumberOf = (record: Fields) => String(fields(record.dynamodb).SequenceNumber);

function toStreamRecord(record: Fields, mapping: Fields): StreamRecord {
  const change = fields(record.dynamodb);
  const sequenceNumber = sequenceNumberOf(record);
  const eventSourceARN = String(mapping.EventSourceArn);
  return {
    sequenceNumber,
    createdAt: number(change.ApproximateCreationDateTime, Date.now() / 1000),
    event: {
      ...record,
      eventID: createHash("md5").update(`${eventSourceARN}/${sequenceNumber}`).digest("hex"),
      awsRegion: region,
      eventSourceARN,
    },
  };
}

/** Returns false for a write that changed nothing. DynamoDB leaves such writes out of the stream, dynoxide does not. */
function hasChange({ eventName, dynamodb }: Fields): boolean {
  const { OldImage, NewImage } = fields(dynamodb);
  return eventName !== "MODIFY" || OldImage === undefined || !isDeepStrictEqual(OldImage, NewImage);
}

function isExpiredIterator(error: unknown): boolean {
  return (
    error instanceof AwsException && ["ExpiredIteratorException", "TrimmedDataAccessException"].includes(error.name)
  );
}
