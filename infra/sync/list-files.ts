import { createHash } from "node:crypto";
import type { ReplyOf } from "../../shared/client/index.ts";
import { HEAD_BYTES, type ReaderMap, readFrontMatter } from "./readers.ts";
import { type FileSource, InvalidUsage, type SourceFile } from "./source-file.ts";

export interface Entry {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly media_type?: "text/html";
  readonly uri?: string;
  readonly modified_at?: string;
  readonly readers: string[] | null;
}

/** File with its entry in the manifest and the digest by whose order manifests are sent. */
export interface ListedFile {
  readonly key: string;
  readonly file: SourceFile;
  readonly entry: Entry;
}

export type SyncState = ReplyOf<"/v1/knowledge/collections/{id}/sync", "get">;

/** Returns the entry of a file, for which its content is read once and not kept. */
export async function toEntry(file: SourceFile, readers: ReaderMap): Promise<Entry> {
  const hash = createHash("sha256");
  let size = 0;
  let head = Buffer.alloc(0);
  for await (const part of file.read()) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, part]).subarray(0, HEAD_BYTES);
    hash.update(part);
    size += part.length;
  }
  const { path, uri, mediaType, modifiedAt } = file;
  return {
    ...{ path, hash: hash.digest("hex"), size },
    // The contract checks the value.
    ...(mediaType && { media_type: mediaType as "text/html" }),
    ...(uri && { uri }),
    ...(modifiedAt && { modified_at: modifiedAt }),
    readers: await readers.toReaders(path, file.readers, readFrontMatter(path, head.toString())),
  };
}

/** Result of listing a source: its files in the order of the manifest, and those that could not be read. */
interface Listing {
  readonly files: ListedFile[];
  readonly unreadable: { readonly path: string; readonly reason: string }[];
}

/** Lists and hashes the files of a source. Only their entries stay in memory, about 500 bytes each. */
export async function listFiles(
  source: FileSource,
  readers: ReaderMap,
  onProgress: (count: number) => void,
): Promise<Listing> {
  const files = new Map<string, ListedFile>();
  const unreadable: Listing["unreadable"] = [];
  for await (const file of source()) {
    try {
      const key = createHash("sha256").update(file.path).digest("hex");
      files.set(key, { key, file, entry: await toEntry(file, readers) });
      onProgress(files.size);
    } catch (error) {
      if (error instanceof InvalidUsage) throw error;
      unreadable.push({ path: file.path, reason: (error as Error).message });
    }
  }
  const inOrder = [...files.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  return { files: inOrder, unreadable };
}
