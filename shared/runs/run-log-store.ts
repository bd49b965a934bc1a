import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys, parseRunLogKey } from "../dynamodb/keys.ts";
import { ConditionFailed, type Item } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import type { Frame, RunEvent } from "./events.ts";

/** Retention of a run's log and control item; the run and its message stay. */
export const RUN_LOG_TTL_SECONDS = 24 * 3_600;

const StoredSegment = v.object({
  sk: v.string(),
  frames: trusted<string | Uint8Array>(),
  written_at: v.optional(v.number(), 0),
});

const readSegment = itemReader(StoredSegment);

/** Stored form of an event. Text deltas, by far the most common event, are stored as bare strings. */
type PackedEvent = string | RunEvent;

function pack({ event }: Frame): PackedEvent {
  return event.type === "assistant_message" && !event.data.final ? event.data.content : event;
}

function unpack(messageId: string, packed: PackedEvent): RunEvent {
  if (typeof packed !== "string") return packed;
  return { type: "assistant_message", data: { message_id: messageId, content: packed, final: false } };
}

/** Length above which a segment is compressed; shorter ones cost one write unit uncompressed. */
const COMPRESSION_THRESHOLD_CHARACTERS = 800;

const compress = (text: string) => (text.length > COMPRESSION_THRESHOLD_CHARACTERS ? deflateRawSync(text) : text);
const decompress = (stored: unknown) =>
  stored instanceof Uint8Array ? String(inflateRawSync(stored)) : String(stored);

/** Another function has continued the run's log, so the writer no longer owns the run. */
export class LogConflictError extends Error {
  override name = "LogConflictError";
}

/**
 * Appends frames to a run's log as one segment. Each segment key can be written once, so if two functions execute the
 * same run, one of them gets an error.
 * @throws LogConflictError
 */
export async function appendToRunLog(scope: TenantScope, messageId: string, frames: readonly Frame[]): Promise<void> {
  const [first] = frames;
  if (!first) return;
  const packed = compress(JSON.stringify(frames.map(pack)));
  try {
    await tenantTable(scope).write({
      put: {
        ...keys.runLog(scope.tenantId, messageId, first.seq),
        discriminator: "run-log",
        ttl: expiresAfter(RUN_LOG_TTL_SECONDS),
        frames: packed,
        written_at: now(),
      },
      condition: {
        // A retry of a write whose response was lost finds its own segment.
        where: "attribute_not_exists(#pk) OR #frames = :frames",
        values: { frames: packed },
      },
    });
  } catch (error) {
    throw error instanceof ConditionFailed ? new LogConflictError("Another function has continued the run log") : error;
  }
}

/** Part of a run's log. */
export interface LogPart {
  readonly frames: readonly Frame[];
  /** Position after which the next part starts. */
  readonly cursor: string | undefined;
}

/** Last entry of a run's log. */
export interface LogEnd {
  readonly last: Frame | undefined;
  /** Epoch milliseconds at which the last segment was written; 0 if there is none. */
  readonly lastWriteAt: number;
}

function toFrames(messageId: string, segment: v.InferOutput<typeof StoredSegment>): Frame[] {
  const firstSeq = parseRunLogKey(segment.sk);
  const packed = JSON.parse(decompress(segment.frames)) as PackedEvent[];
  return packed.map((event, index) => ({ seq: firstSeq + index, event: unpack(messageId, event) }));
}

/** Reads the last segment of a run's log. */
export async function readRunLogEnd(scope: TenantScope, messageId: string): Promise<LogEnd> {
  const [item] = await tenantTable(scope).query({
    pk: keys.run(scope.tenantId, messageId).pk,
    prefix: keyPrefixes.runLog,
    limit: 1,
    descending: true,
    consistent: true,
  });
  if (!item) return { last: undefined, lastWriteAt: 0 };
  const segment = readSegment(item);
  return { last: toFrames(messageId, segment).at(-1), lastWriteAt: segment.written_at };
}

/**
 * Reads a run's log.
 * @param cursor end of an earlier part; without it, the log is read from the beginning
 */
export async function readRunLog(scope: TenantScope, messageId: string, cursor?: string): Promise<LogPart> {
  const items: Item[] = await tenantTable(scope).query({
    pk: keys.run(scope.tenantId, messageId).pk,
    prefix: keyPrefixes.runLog,
    after: cursor,
    consistent: true,
  });
  return {
    frames: items.flatMap((item) => toFrames(messageId, readSegment(item))),
    cursor: items.at(-1)?.sk ?? cursor,
  };
}
