import * as v from "valibot";
import { Attachment } from "../../api/conversations/attachments.ts";
import type { ExportRecord } from "./exported-contents.ts";

/**
 * Maximum size of the files in one ZIP file, in bytes. A function URL streams at most 200 MB, and the first ZIP file
 * also contains the texts.
 */
export const MAX_PART_BYTES = 100_000_000;

/** Maximum number of files in one ZIP file, which a function can read one after the other well within its timeout. */
export const MAX_PART_FILES = 2_000;

/** ZIP file to which the next file is added, and number and size of the files that it already contains. */
export const PartState = v.object({ part: v.number(), files: v.number(), bytes: v.number() });
export type PartState = v.InferOutput<typeof PartState>;

export const firstPart: PartState = { part: 1, files: 0, bytes: 0 };

/** Number of the ZIP file that contains a file, and path in it. */
const ArchivePlace = v.object({ part: v.number(), path: v.string() });

/** Record of a file in the text of an archive. */
const ArchivedFile = v.object({
  ...v.pick(Attachment, ["id", "conversation_id", "message_id", "file_name", "media_type", "size", "created_at"])
    .entries,
  archive: ArchivePlace,
});
export type ArchivedFile = v.InferOutput<typeof ArchivedFile>;

/** Characters that Windows forbids in file names, including path separators. */
const forbiddenCharacters = /[\p{Cc}\\/:*?"<>|]/gu;

/**
 * Returns the path of a file in a ZIP file. The id makes it unique, and forbidden characters are replaced, so that the
 * name cannot lead to another folder.
 */
export function toArchivePath({ id, file_name }: Pick<Attachment, "id" | "file_name">): string {
  const name = file_name
    .toWellFormed()
    .replace(forbiddenCharacters, "_")
    .replace(/(?<![. ])[. ]+$/, "_");
  return `files/${id}/${name || "_"}`;
}

/** Assigns each file among the records to a ZIP file, and returns the records with these places and the new state. */
export function placeFiles(
  records: readonly ExportRecord[],
  state: PartState,
): { readonly records: ExportRecord[]; readonly state: PartState } {
  let { part, files, bytes } = state;
  const placed = records.map((record) => {
    if (record.kind !== "attachment") return record;
    const attachment = record.data as Attachment;
    if (files > 0 && (files === MAX_PART_FILES || bytes + attachment.size > MAX_PART_BYTES)) {
      part += 1;
      files = 0;
      bytes = 0;
    }
    files += 1;
    bytes += attachment.size;
    return { ...record, data: { ...attachment, archive: { part, path: toArchivePath(attachment) } } };
  });
  return { records: placed, state: { part, files, bytes } };
}

/** Start of lines that describe files. Users' texts cannot imitate it, because they are inside JSON strings. */
const FILE_LINE = '{"kind":"attachment"';

/**
 * Yields the segments of an archive's text unchanged, and adds the files of one ZIP file to `found`.
 * @param part number of the ZIP file
 */
export async function* collectArchivedFiles(
  segments: AsyncIterable<string>,
  part: number,
  found: ArchivedFile[],
): AsyncGenerator<string> {
  let line = "";
  for await (const segment of segments) {
    const [rest = "", ...starts] = segment.split("\n");
    line += rest;
    for (const start of starts) {
      if (line.startsWith(FILE_LINE)) {
        const file = v.parse(ArchivedFile, JSON.parse(line).data);
        if (file.archive.part === part) found.push(file);
      }
      line = start;
    }
    yield segment;
  }
}
