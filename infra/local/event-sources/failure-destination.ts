import { randomUUID } from "node:crypto";
import type { Bucket } from "../buckets/buckets.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import type { Fields } from "../json.ts";
import type { Queue } from "../queues/queue.ts";
import type { FailedBatch, StreamRecord } from "./batch-delivery.ts";
import { isPermitted } from "./source-permissions.ts";

/** Possible destinations of failed batches: queues by ARN and buckets by name. */
interface Destinations {
  queues: ReadonlyMap<string, Queue>;
  buckets: ReadonlyMap<string, Bucket>;
}

/**
 * Returns the record that Lambda sends to the on-failure destination for a discarded batch.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
export function failureRecord(
  { records, requestId, attempts }: FailedBatch,
  functionArn: string,
  shardId: string,
  streamArn: string,
): Fields {
  const [first, last] = [records[0], records.at(-1)];
  const time = (record: StreamRecord | undefined) => new Date((record?.createdAt ?? 0) * 1000).toISOString();
  return {
    requestContext: { requestId, functionArn, condition: "RetryAttemptsExhausted", approximateInvokeCount: attempts },
    responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
    version: "1.0",
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.sequenceNumber,
      endSequenceNumber: last?.sequenceNumber,
      approximateArrivalOfFirstRecord: time(first),
      approximateArrivalOfLastRecord: time(last),
      batchSize: records.length,
      streamArn,
    },
  };
}

/** Sends an invocation record to a queue, or stores it with the event in a bucket, if the role of the function allows it. */
export function storeFailure(
  record: Fields,
  { records }: FailedBatch,
  lambda: LambdaFunction,
  destination: string,
  { queues, buckets }: Destinations,
): void {
  const bucket = buckets.get(destination.replace(/^arn:aws:s3:::/, ""));
  if (!bucket) {
    if (isPermitted(lambda, "sqs", ["SendMessage"], destination)) queues.get(destination)?.send(JSON.stringify(record));
    return;
  }
  const mayStore = isPermitted(lambda, "s3", ["PutObject"], `${bucket.arn}/*`);
  if (!isPermitted(lambda, "s3", ["ListBucket"], bucket.arn) || !mayStore) return;
  const payload = JSON.stringify({ Records: records.map(({ event }) => event) });
  const { shardId } = record.DDBStreamBatchInfo as { shardId: string };
  const [date = "", time = ""] = new Date().toISOString().slice(0, 19).split("T");
  const name = `${date}T${time.replaceAll(":", ".")}-${randomUUID()}`;
  const key = `aws/lambda/${lambda.name}/${shardId}/${date.replaceAll("-", "/")}/${name}`;
  bucket.put(key, Buffer.from(JSON.stringify({ ...record, payload })));
}
