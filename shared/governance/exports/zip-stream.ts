import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { constants } from "node:zlib";
import { ZipFile } from "yazl";

export interface ZipEntry {
  /** Unique relative path with slashes. */
  readonly path: string;
  readonly modifiedAt: Date;
  readonly content: AsyncIterable<string | Uint8Array>;
}

/**
 * Streams a ZIP file. The next entry is read after the previous one was written. All entries are deflated, even images,
 * because a reader that cannot seek finds the end of a deflated entry, but not that of a stored entry whose size
 * follows it.
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
