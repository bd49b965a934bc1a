import { deflateRawSync, inflateRawSync } from "node:zlib";
import * as v from "valibot";
import { itemReader, trusted } from "../dynamodb/item-reader.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { absent, anyOf, type Condition, ConditionFailed, equals, type Item } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now } from "../lib/clock.ts";
import type { Frame, RunEvent } from "./events.ts";

/** Retention of a run's log and control item: 24 hours. The run and its answer are stored longer. */
export const RUN_LOG_TTL_SECONDS = 24 * 3_600;

const StoredSegment = v.object({
  sk: v.string(),
  frames: trusted<string | Uint8Array>(),
  written_at: v.number(),
  is_reaper: v.optional(v.boolean(), false),
});

const readSegment = itemReader(StoredSegment);

/** Stored form of an event. Text deltas, by far the most frequent events, are stored as strings. */
type PackedEvent = string | RunEvent;

function pack({ event }: Frame): PackedEvent {
  return event.type === "assistant_message" && !event.data.final ? event.data.content : event;
}

function unpack(messageId: string, packed: PackedEvent): RunEvent {
  if (typeof packed !== "string") return packed;
  return { type: "assistant_message", data: { message_id: messageId, content: packed, final: false } };
}

/**
 * Maximum length of a segment's JSON text before compression. Even uncompressed, with up to three bytes per character,
 * it stays below the limit of 400 KB for an item.
 */
const MAX_SEGMENT_LENGTH = 100_000;

/**
 * Length in characters above which a segment is compressed. A shorter segment costs one write unit even without
 * compression.
 */
const COMPRESSION_THRESHOLD_CHARACTERS = 800;

const compress = (text: string) => (text.length > COMPRESSION_THRESHOLD_CHARACTERS ? deflateRawSync(text) : text);
const decompress = (stored: unknown) =>
  stored instanceof Uint8Array ? String(inflateRawSync(stored)) : String(stored);

/** Thrown if another function has appended to the run's log, so that this one no longer owns the run. */
export class LogConflictError extends Error {
  override name = "LogConflictError";
}

/**
 * Appends frames to a run's log. Each segment has the key of its first frame and can be written only once, so that the
 * second of two functions that execute the same run gets an error.
 * @throws LogConflictError
 */
export async function appendToRunLog(
  scope: TenantScope,
  messageId: string,
  frames: readonly Frame[],
  { isReaper = false } = {},
): Promise<void> {
  for (const segment of toSegments(frames)) {
    // If the response to a write was lost, its retry finds the segment that the write stored.
    const condition = anyOf([absent(), equals({ frames: segment.frames })]);
    await writeSegment(scope, messageId, { ...segment, ...(isReaper && { is_reaper: true }) }, condition);
  }
}

/**
 * Replaces the end that the reaper wrote to the log of a live run by the run's own frames. Readers that have received
 * the reaper's `interrupted` event find the whole answer in the message.
 * @throws LogConflictError if a function other than the reaper has appended to the log
 */
export async function replaceReaperEnd(scope: TenantScope, messageId: string, frames: readonly Frame[]): Promise<void> {
  for (const segment of toSegments(frames)) {
    const condition = anyOf([absent(), equals({ is_reaper: true }), equals({ frames: segment.frames })]);
    await writeSegment(scope, messageId, segment, condition);
  }
}

interface PackedSegment {
  readonly firstSeq: number;
  readonly frames: string | Uint8Array;
  readonly is_reaper?: boolean;
}

/** Packs frames into segments of at most `MAX_SEGMENT_LENGTH` characters, unless a single frame is longer. */
function* toSegments(frames: readonly Frame[]): Generator<PackedSegment, void> {
  let packed: string[] = [];
  let length = 0;
  let firstSeq = frames[0]?.seq ?? 0;
  for (const frame of frames) {
    const text = JSON.stringify(pack(frame));
    if (packed.length > 0 && length + text.length > MAX_SEGMENT_LENGTH) {
      yield { firstSeq, frames: compress(`[${packed.join(",")}]`) };
      packed = [];
      length = 0;
      firstSeq = frame.seq;
    }
    packed.push(text);
    length += text.length;
  }
  if (packed.length > 0) yield { firstSeq, frames: compress(`[${packed.join(",")}]`) };
}

async function writeSegment(
  scope: TenantScope,
  messageId: string,
  { firstSeq, ...segment }: PackedSegment,
  condition: Condition,
): Promise<void> {
  try {
    await tenantTable(scope).write({
      put: {
        ...keys.runLog(scope.tenantId, messageId, firstSeq),
        discriminator: "run-log",
        ttl: expiresAfter(RUN_LOG_TTL_SECONDS),
        ...segment,
        written_at: now(),
      },
      condition,
    });
  } catch (error) {
    throw error instanceof ConditionFailed ? new LogConflictError("Another function has continued the run log") : error;
  }
}

interface LogPart {
  readonly frames: readonly Frame[];
  /** Position after which the next part starts; undefined while the log is empty. */
  readonly cursor: string | undefined;
}

interface LogEnd {
  readonly last: Frame | undefined;
  /** Epoch milliseconds of the last write to the log; 0 if it is empty. */
  readonly lastWriteAt: number;
  /** True if the reaper wrote the last segment. The dead function may have streamed more frames than it logged. */
  readonly isReaped: boolean;
}

function toFrames(messageId: string, segment: v.InferOutput<typeof StoredSegment>): Frame[] {
  const firstSeq = Number(segment.sk.slice(keyPrefixes.runLog.length));
  const packed = JSON.parse(decompress(segment.frames)) as PackedEvent[];
  return packed.map((event, index) => ({
    seq: firstSeq + index,
    event: unpack(messageId, event),
    ...(segment.is_reaper && { isReaped: true }),
  }));
}

/** Reads the last segment of a run's log with a strongly consistent read. */
export async function readRunLogEnd(scope: TenantScope, messageId: string): Promise<LogEnd> {
  const [item] = await tenantTable(scope).query({
    pk: keys.run(scope.tenantId, messageId).pk,
    prefix: keyPrefixes.runLog,
    limit: 1,
    descending: true,
    consistent: true,
  });
  if (!item) return { last: undefined, lastWriteAt: 0, isReaped: false };
  const segment = readSegment(item);
  return { last: toFrames(messageId, segment).at(-1), lastWriteAt: segment.written_at, isReaped: segment.is_reaper };
}

/**
 * Reads a run's log with a strongly consistent read.
 * @param cursor end of the part that was read before; without it, the log is read from the beginning
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
