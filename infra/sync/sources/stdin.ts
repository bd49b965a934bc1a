import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { type FileSource, InvalidUsage, type SourceFile } from "../source-file.ts";

/** Line of an exporter: a path with the name of a file on this disk, or the text itself. */
interface Line {
  readonly path?: unknown;
  readonly file?: unknown;
  readonly text?: unknown;
  readonly uri?: unknown;
  readonly media_type?: unknown;
  readonly modified_at?: unknown;
  readonly readers?: unknown;
}

const optionalText = (value: unknown) => (typeof value === "string" ? value : undefined);

const isReaders = (value: unknown): value is string[] | null | undefined =>
  value === undefined || value === null || (Array.isArray(value) && value.every((each) => typeof each === "string"));

function toFile(line: string, number: number): SourceFile {
  let parsed: Line;
  try {
    parsed = JSON.parse(line) as Line;
  } catch {
    throw new InvalidUsage(`Line ${number} of the input is no JSON.`);
  }
  const { path, file, text, readers } = parsed;
  if (typeof path !== "string" || path === "") throw new InvalidUsage(`Line ${number} of the input has no path.`);
  if (!isReaders(readers)) throw new InvalidUsage(`Line ${number}: readers must be a list of texts or null.`);
  if (typeof file !== "string" && typeof text !== "string") {
    throw new InvalidUsage(`Line ${number} of the input has neither file nor text.`);
  }
  return {
    path,
    uri: optionalText(parsed.uri),
    mediaType: optionalText(parsed.media_type),
    modifiedAt: optionalText(parsed.modified_at),
    readers,
    read: () => (typeof file === "string" ? createReadStream(file) : toParts(String(text))),
  };
}

async function* toParts(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Files that an exporter names, one JSON object a line. Texts stay in memory, so large ones are better files. */
export const stdin = (input: Readable): FileSource =>
  async function* () {
    let number = 0;
    for await (const line of createInterface({ input })) {
      number += 1;
      if (line.trim() !== "") yield toFile(line, number);
    }
  };
