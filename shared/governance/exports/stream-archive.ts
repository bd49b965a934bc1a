import { createHash } from "node:crypto";
import { openAttachmentFile } from "../../conversations/attachments/attachment-files.ts";
import { findAttachments } from "../../conversations/attachments/attachment-store.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { type ArchivedFile, collectArchivedFiles } from "./archive-parts.ts";
import { type StoredExport, streamExportText } from "./export-store.ts";
import { streamZip, type ZipEntry } from "./zip-stream.ts";

/** Number of attachments that are looked up in one batch. */
const LOOKUP_BATCH_SIZE = 100;

/** Entry of a file in the manifest of a ZIP file. */
interface ManifestEntry extends Omit<ArchivedFile, "archive"> {
  readonly path: string;
  readonly sha256: string;
}

type LeftOutFile = Omit<ArchivedFile, "archive"> & { readonly reason: "deleted" };

/**
 * Yields the content of a file unchanged, and adds the file with its size and hash to the manifest when the content
 * ends.
 */
async function* describeFile(
  content: AsyncIterable<Uint8Array>,
  { archive: { path }, ...file }: ArchivedFile,
  included: ManifestEntry[],
): AsyncGenerator<Uint8Array> {
  const sha256 = createHash("sha256");
  let size = 0;
  for await (const chunk of content) {
    sha256.update(chunk);
    size += chunk.length;
    yield chunk;
  }
  included.push({ ...file, path, size, sha256: sha256.digest("hex") });
}

/** Yields the files that still exist. Adds them to `included`, and deleted files to `leftOut`. */
async function* readFiles(
  scope: TenantScope,
  files: readonly ArchivedFile[],
  included: ManifestEntry[],
  leftOut: LeftOutFile[],
): AsyncGenerator<ZipEntry> {
  for (let start = 0; start < files.length; start += LOOKUP_BATCH_SIZE) {
    const batch = files.slice(start, start + LOOKUP_BATCH_SIZE);
    // Files may have been deleted since the archive was built; their objects are deleted later than their items.
    const existing = new Set((await findAttachments(scope, batch)).map(({ id }) => id));
    for (const file of batch) {
      const content = existing.has(file.id) ? await openAttachmentFile(scope, file) : undefined;
      const { archive, created_at } = file;
      if (content) {
        const modifiedAt = new Date(created_at);
        yield { path: archive.path, modifiedAt, content: describeFile(content, file, included) };
      } else {
        const { archive: _, ...data } = file;
        leftOut.push({ ...data, reason: "deleted" });
      }
    }
  }
}

/** Returns a text as a stream, the form in which `streamZip` takes contents. */
async function* toStream(text: string): AsyncGenerator<string> {
  yield text;
}

async function* archiveEntries(scope: TenantScope, stored: StoredExport, part: number): AsyncGenerator<ZipEntry> {
  const modifiedAt = new Date(stored.created_at);
  const files: ArchivedFile[] = [];
  const text = collectArchivedFiles(streamExportText(scope, stored), part, files);
  if (part === 1) yield { path: "archive.ndjson", modifiedAt, content: text };
  else for await (const _ of text);
  const included: ManifestEntry[] = [];
  const leftOut: LeftOutFile[] = [];
  yield* readFiles(scope, files, included, leftOut);
  const { zip_parts: parts, created_at: exported_at } = stored;
  const manifest = {
    format: "switchboard.files",
    version: 1,
    exported_at,
    part,
    parts,
    files: included,
    left_out: leftOut,
  };
  yield { path: "manifest.json", modifiedAt, content: toStream(`${JSON.stringify(manifest, null, 1)}\n`) };
}

/**
 * Streams one ZIP file of an archive: the records (only in the first ZIP file), the files of messages, and a manifest,
 * which also lists files that were deleted since the archive was built.
 * @param part number of the ZIP file, from 1
 */
export const streamArchive = (scope: TenantScope, stored: StoredExport, part: number): AsyncGenerator<Uint8Array> =>
  streamZip(archiveEntries(scope, stored, part));
