import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { constants } from "node:zlib";
import { ZipFile } from "yazl";

export interface ZipEntry {
  /** Relative path with slashes, which must be unique. */
  readonly path: string;
  readonly modifiedAt: Date;
  readonly content: AsyncIterable<string | Uint8Array>;
}

/**
 * Writes a ZIP archive in chunks. An entry is requested when those before it were written. All are compressed, also images: readers
 * that do not seek find the end of a deflated entry, but not of one that is stored and followed by its size.
 */
export async function* streamZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let source: Readable | undefined;
  const addEntries = async () => {
    for await (const { path, modifiedAt, content } of entries) {
      source = Readable.from(content);
      zip.addReadStream(source, path, { mtime: modifiedAt, compressionLevel: constants.Z_BEST_SPEED });
      await finished(source);
    }
    zip.end();
  };
  const fail = (error: Error) => output.destroy(error);
  zip.on("error", fail);
  addEntries().catch(fail);
  try {
    yield* output;
  } finally {
    source?.destroy();
  }
}
