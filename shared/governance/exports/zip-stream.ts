import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, crc32, createDeflateRaw } from "node:zlib";

/** File of a ZIP archive. */
export interface ZipEntry {
  /** Relative path with slashes, which must be unique. */
  readonly path: string;
  readonly modifiedAt: Date;
  readonly content: AsyncIterable<string | Uint8Array>;
}

/** Flags of an entry (APPNOTE 4.4.4): the path is UTF-8; CRC and sizes follow the content. */
const FLAGS = 0x0808;

/**
 * Method of compression, also for images: readers that do not seek find the end of a deflated entry, but not of one that is stored
 * and followed by its size.
 */
const DEFLATED = 8;

/** Version of the format that readers must support, with deflated entries and folders. */
const VERSION = 20;

/** Values from which an archive needs ZIP64, which is not written. */
const MAX_ENTRIES = 0xffff;
const MAX_BYTES = 0xffffffff;

interface WrittenEntry {
  readonly path: Buffer;
  /** Time and date in the format of MS-DOS. */
  readonly modified: number;
  readonly offset: number;
  crc: number;
  compressedBytes: number;
  bytes: number;
}

/** Converts a time to the format of MS-DOS (UTC), which begins in 1980 and has a resolution of two seconds. */
function toDosTime(time: Date): number {
  const year = Math.max(0, time.getUTCFullYear() - 1980);
  const date = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  return ((date << 16) | (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)) >>> 0;
}

/** Joins numbers of two or four bytes in little-endian order. */
function toBytes(...fields: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

/** Fields that a local header (APPNOTE 4.3.7) and an entry of the directory (4.3.12) have in common. */
const commonFields = ({ modified, crc, compressedBytes, bytes, path }: WrittenEntry) =>
  [
    [VERSION, 2],
    [FLAGS, 2],
    [DEFLATED, 2],
    [modified, 4],
    [crc, 4],
    [compressedBytes, 4],
    [bytes, 4],
    [path.length, 2],
    [0, 2],
  ] as const;

const localHeader = (entry: WrittenEntry) =>
  Buffer.concat([toBytes([0x04034b50, 4], ...commonFields(entry)), entry.path]);

const directoryEntry = (entry: WrittenEntry) =>
  Buffer.concat([
    toBytes([0x02014b50, 4], [VERSION, 2], ...commonFields(entry), [0, 2], [0, 2], [0, 2], [0, 4], [entry.offset, 4]),
    entry.path,
  ]);

/** CRC and sizes after a content whose header does not have them (APPNOTE 4.3.9). */
const dataDescriptor = ({ crc, compressedBytes, bytes }: WrittenEntry) =>
  toBytes([0x08074b50, 4], [crc, 4], [compressedBytes, 4], [bytes, 4]);

const endOfDirectory = (entries: number, bytes: number, offset: number) =>
  toBytes([0x06054b50, 4], [0, 2], [0, 2], [entries, 2], [entries, 2], [bytes, 4], [offset, 4], [0, 2]);

/** Yields the compressed content of an entry, and records its CRC and sizes. */
async function* deflate(content: ZipEntry["content"], entry: WrittenEntry): AsyncGenerator<Buffer> {
  async function* measured() {
    for await (const chunk of content) {
      const bytes = Buffer.from(chunk);
      entry.crc = crc32(bytes, entry.crc);
      entry.bytes += bytes.length;
      yield bytes;
    }
  }
  const compressed = createDeflateRaw({ level: constants.Z_BEST_SPEED });
  // Reading the compressed side throws the errors of both sides.
  pipeline(Readable.from(measured()), compressed).catch(() => {});
  for await (const chunk of compressed as AsyncIterable<Buffer>) {
    entry.compressedBytes += chunk.length;
    yield chunk;
  }
}

/**
 * Writes a ZIP archive in chunks. An entry is requested when those before it were written.
 * @throws RangeError if the archive would need ZIP64
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export async function* streamZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const written: WrittenEntry[] = [];
  let offset = 0;
  for await (const { path, modifiedAt, content } of entries) {
    const modified = toDosTime(modifiedAt);
    const entry: WrittenEntry = { path: Buffer.from(path), modified, offset, crc: 0, compressedBytes: 0, bytes: 0 };
    written.push(entry);
    const header = localHeader(entry);
    yield header;
    yield* deflate(content, entry);
    const descriptor = dataDescriptor(entry);
    yield descriptor;
    offset += header.length + entry.compressedBytes + descriptor.length;
  }
  if (offset > MAX_BYTES || written.length > MAX_ENTRIES) throw new RangeError("The archive is too large");
  const directory = Buffer.concat(written.map(directoryEntry));
  yield directory;
  yield endOfDirectory(written.length, directory.length, offset);
}
