import highland from "highland";
import { sendToQueue } from "../lib/aws/sqs.ts";
import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";

/**
 * Maximum size of a fault. It fits into every SQS queue: the maximum message size is 1 MiB since 2025 and was 256 KiB
 * before, which queues can still have. A rejected message would block the stream.
 */
const MAX_FAULT_BYTES = 200_000;

/**
 * Replacer for `JSON.stringify` that converts BigInt to text. Without it, a fault with a BigInt could not be sent and would
 * block the stream.
 */
const toJson = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

/** Serializes a fault. If it is too large, the result has only the error and the key of the record, without its images. */
export function serializeFault(fault: unknown): string {
  const serialized = JSON.stringify(fault, toJson);
  if (Buffer.byteLength(serialized) <= MAX_FAULT_BYTES) return serialized;
  const { err, tags, uow } = fault as { err: unknown; tags: unknown; uow: StreamUnitOfWork };
  const { id, type, partitionKey } = uow.event;
  return JSON.stringify({ err, tags, trimmed: true, event: { id, type, partitionKey } });
}

async function sendFault(fault: unknown): Promise<void> {
  log.error("change processing failed");
  await sendToQueue(env("FAULT_QUEUE_URL").FAULT_QUEUE_URL, serializeFault(fault));
}

/** Sends records that cannot be processed to the fault queue, so that they do not block the stream. */
export const publishFaults = () => (stream: HighlandStream<{ event: unknown }>) =>
  stream.map(({ event }) => highland(sendFault(event))).parallel(4);
