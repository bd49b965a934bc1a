import highland from "highland";
import { env } from "../lib/env.ts";
import { log } from "../lib/log.ts";
import { sendToQueue } from "./queue.ts";

/** Bytes of a fault at most: SQS takes 256 KiB a message, and a larger one would be refused again and again. */
const maxFaultBytes = 200_000;

/** A fault as it is reported: the keys and the error always fit, whatever the record's size; its images may not. */
export function serializeFault(fault: unknown): string {
  const whole = JSON.stringify(fault);
  if (Buffer.byteLength(whole) <= maxFaultBytes) return whole;
  const { err, tags, uow } = fault as { err: unknown; tags: unknown; uow: StreamUnitOfWork };
  const { id, type, partitionKey } = uow.event;
  return JSON.stringify({ err, tags, trimmed: true, event: { id, type, partitionKey } });
}

async function send(fault: unknown): Promise<void> {
  log.error("change could not be processed");
  await sendToQueue(env("FAULT_QUEUE_URL").FAULT_QUEUE_URL, serializeFault(fault));
}

/** The sink for records that cannot be processed: they go to the fault queue, so that the stream goes on. */
export const publishFaults = () => (stream: HighlandStream<{ event: unknown }>) =>
  stream.map(({ event }) => highland(send(event))).parallel(4);
