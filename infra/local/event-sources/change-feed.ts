import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { region } from "../assembly/local-account.ts";
import { AwsError, awsJson } from "../aws-json.ts";
import { messageOf } from "../failure.ts";
import type { FunctionHost } from "../functions/function-host.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { type Fields, fields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import type { Queue } from "../queues/queue.ts";
import { BatchDelivery, deliveryOptions, type GivenUp, type StreamRecord } from "./batch-delivery.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { type EventFilter, eventFilter } from "./event-filter.ts";

/** What a change feed needs. */
export type ChangeFeedOptions = {
  /** Under which its position is kept. */
  name: string;
  /** Properties of the `AWS::Lambda::EventSourceMapping`. */
  mapping: Fields;
  lambda: LambdaFunction;
  host: FunctionHost;
  tableEndpoint: string;
  checkpoints: Checkpoints;
  /** Queues by ARN, for the failure destination. */
  queues: Map<string, Queue>;
};

/** Pause between two looks at the stream, while there is something going on and otherwise. */
const busyPauseMs = 100;
const idlePauseMs = 1000;
/** How long after the last sign of life a feed counts as busy. */
const busyForMs = 3000;
/** Records that are read at once: requests wait while so many are parsed. */
const recordsAtOnce = 200;

/**
 * Carries the changes of a table to a function: an event source mapping on a DynamoDB stream, read from the table server's own
 * stream. Shards are read one after the other, parents first, so changes arrive in the order they were made.
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
  #wake: () => void = () => {};
  #busyUntil = 0;
  #streamArn = "";
  #shard = "";
  #iterator: string | undefined;
  /** Read, wanted, and not yet delivered. */
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
      (last) => this.#remember(last.sequenceNumber),
      (batch) => this.#giveUp(batch),
    );
    this.#running = this.#run();
  }

  /** Says that the table was probably written to: the feed looks sooner. */
  nudge(): void {
    this.#busyUntil = Date.now() + busyForMs;
    this.#wake();
  }

  /** Stops, once a delivery under way is over; what was read and not delivered is read again at the next start. */
  async close(): Promise<void> {
    this.#stopped.abort();
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      let pause: number;
      try {
        const read = await this.#poll();
        if (read > 0) this.#busyUntil = Date.now() + busyForMs;
        pause = Date.now() < this.#busyUntil || this.#pending.length > 0 ? busyPauseMs : idlePauseMs;
        if (read > 0) pause = 0;
      } catch (error) {
        // The next attempt starts over from the checkpoint.
        this.#iterator = undefined;
        this.#pending = [];
        if (!isExpiry(error) && !this.#stopped.signal.aborted)
          warn(this.#options.lambda.name, `cannot read the changes of ${this.#tableName}: ${messageOf(error)}`);
        pause = idlePauseMs;
      }
      if (pause > 0) await this.#rest(pause);
    }
  }

  /** A pause a nudge cuts short, though not below the pace of a busy feed. */
  async #rest(pauseMs: number): Promise<void> {
    const { signal } = this.#stopped;
    await sleep(Math.min(pauseMs, busyPauseMs), undefined, { signal }).catch(() => {});
    if (pauseMs <= busyPauseMs || Date.now() < this.#busyUntil || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs - busyPauseMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Reads once and delivers what is due. Gives the number of records read. */
  async #poll(): Promise<number> {
    this.#iterator ??= await this.#openIterator();
    const output = fields(await this.#call("GetRecords", { ShardIterator: this.#iterator, Limit: recordsAtOnce }));
    const records = list(output.Records).map(fields);
    const wanted = records
      .filter((record) => this.#filter(record) && isChange(record))
      .map((record) => streamRecord(record, this.#options.mapping));
    if (this.#pending.length === 0) this.#pendingSince = Date.now();
    this.#pending.push(...wanted);
    const due = this.#windowMs === 0 || Date.now() - this.#pendingSince >= this.#windowMs;
    while (this.#pending.length >= this.#batchSize || (due && this.#pending.length > 0)) {
      await this.#delivery.deliver(this.#pending.slice(0, this.#batchSize));
      if (this.#stopped.signal.aborted) return 0;
      this.#pending = this.#pending.slice(this.#batchSize);
      this.#pendingSince = Date.now();
    }
    const last = records.at(-1);
    if (last && this.#pending.length === 0) this.#remember(sequenceNumberOf(last));
    this.#iterator = text(output.NextShardIterator);
    if (this.#iterator === undefined && this.#pending.length === 0) await this.#nextShard();
    return records.length;
  }

  async #openIterator(): Promise<string> {
    const position = await this.#position();
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

  /** The checkpoint, or where a new mapping starts; LATEST is pinned at once, so that nothing is skipped after a crash. */
  async #position(): Promise<Fields> {
    const shards = await this.#shards();
    const known = this.#options.checkpoints.get(this.#options.name);
    if (known && shards.some(({ ShardId }) => ShardId === known.shard)) return known;
    const latest = this.#options.mapping.StartingPosition === "LATEST" && !known;
    const shard = latest ? shards.at(-1) : shards[0];
    const after = latest ? text(fields(shard?.SequenceNumberRange).EndingSequenceNumber) : undefined;
    const position = { shard: shard?.ShardId, ...(after === undefined ? { latest } : { after }) };
    if (after !== undefined) this.#options.checkpoints.set(this.#options.name, position);
    return position;
  }

  async #shards(): Promise<Fields[]> {
    const { Streams } = fields(await this.#call("ListStreams", { TableName: this.#tableName }));
    const arn = text(fields(list(Streams)[0]).StreamArn);
    if (arn === undefined) throw new Error("it has no stream");
    this.#streamArn = arn;
    const { StreamDescription } = fields(await this.#call("DescribeStream", { StreamArn: arn }));
    return list(fields(StreamDescription).Shards).map(fields);
  }

  async #nextShard(): Promise<void> {
    const shards = await this.#shards();
    const next = shards[shards.findIndex(({ ShardId }) => ShardId === this.#shard) + 1];
    if (next) this.#options.checkpoints.set(this.#options.name, { shard: next.ShardId });
  }

  #remember(sequenceNumber: string): void {
    this.#options.checkpoints.set(this.#options.name, { shard: this.#shard, after: sequenceNumber });
  }

  /** @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
  #giveUp({ records, requestId, attempts }: GivenUp): void {
    const { lambda, mapping, queues } = this.#options;
    const [first, last] = [records[0], records.at(-1)];
    if (!first || !last) return;
    warn(lambda.name, `gave up on ${records.length} changes after ${attempts} attempts`);
    const destination = text(fields(fields(mapping.DestinationConfig).OnFailure).Destination) ?? "";
    const time = ({ createdAt }: StreamRecord) => new Date(createdAt * 1000).toISOString();
    queues.get(destination)?.send(
      JSON.stringify({
        requestContext: {
          requestId,
          functionArn: lambda.arn,
          condition: "RetryAttemptsExhausted",
          approximateInvokeCount: attempts,
        },
        responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
        version: "1.0",
        timestamp: new Date().toISOString(),
        DDBStreamBatchInfo: {
          shardId: this.#shard,
          startSequenceNumber: first.sequenceNumber,
          endSequenceNumber: last.sequenceNumber,
          approximateArrivalOfFirstRecord: time(first),
          approximateArrivalOfLastRecord: time(last),
          batchSize: records.length,
          streamArn: mapping.EventSourceArn,
        },
      }),
    );
  }

  #call(operation: string, input: object): Promise<unknown> {
    return awsJson(this.#options.tableEndpoint, `DynamoDBStreams_20120810.${operation}`, input);
  }
}

const sequenceNumberOf = (record: Fields) => String(fields(record.dynamodb).SequenceNumber);

function streamRecord(record: Fields, mapping: Fields): StreamRecord {
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

/** DynamoDB's streams leave out writes that change nothing, which dynoxide's do not. */
function isChange({ eventName, dynamodb }: Fields): boolean {
  const { OldImage, NewImage } = fields(dynamodb);
  return eventName !== "MODIFY" || OldImage === undefined || !isDeepStrictEqual(OldImage, NewImage);
}

function isExpiry(error: unknown): boolean {
  return error instanceof AwsError && ["ExpiredIteratorException", "TrimmedDataAccessException"].includes(error.name);
}
