import * as v from "valibot";
import { Attachment } from "../../api/conversations/attachments.ts";
import type { ExportRecord } from "../owned-resources.ts";

/**
 * Maximum size of the files in one ZIP archive, in bytes. A function URL streams at most 200 MB, and the first ZIP archive also has
 * the texts.
 */
export const MAX_PART_BYTES = 100_000_000;

/** Maximum number of files in one ZIP archive: what a function reads one after the other well within its timeout. */
export const MAX_PART_FILES = 2_000;

/** Part of an archive that the next file belongs to, and what it has already. */
export const PartState = v.object({ part: v.number(), files: v.number(), bytes: v.number() });
export type PartState = v.InferOutput<typeof PartState>;

export const firstPart: PartState = { part: 1, files: 0, bytes: 0 };

/** Place of a file in the ZIP archives. */
const ArchivePlace = v.object({ part: v.number(), path: v.string() });

/** Data of the record of a file in an archive. */
const ArchivedFile = v.object({
  ...v.pick(Attachment, ["id", "conversation_id", "message_id", "file_name", "media_type", "size", "created_at"])
    .entries,
  archive: ArchivePlace,
});
export type ArchivedFile = v.InferOutput<typeof ArchivedFile>;

/** Characters that Windows does not allow in names, and those that separate folders. */
const forbiddenCharacters = /[\p{Cc}\\/:*?"<>|]/gu;

/** Returns the path of a file in a ZIP archive. The id makes it unique; the name cannot lead out of its folder. */
export function toArchivePath({ id, file_name }: Pick<Attachment, "id" | "file_name">): string {
  const name = file_name
    .toWellFormed()
    .replace(forbiddenCharacters, "_")
    .replace(/(?<![. ])[. ]+$/, "_");
  return `files/${id}/${name || "_"}`;
}

/** Adds the places of their files to records. */
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

/** Start of the lines that describe files. Texts of users cannot imitate it: they are inside a JSON string. */
const FILE_LINE = '{"kind":"attachment"';

/** Passes the segments of an archive's text through, and collects the files of one part from its lines. */
export async function* collectFiles(
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
