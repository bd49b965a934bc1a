import { createReadStream } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { FileSource, SourceFile } from "../source-file.ts";

/** Yields the file at a path of the disk as a file of a source. */
export async function toSourceFile(root: string, path: string): Promise<SourceFile> {
  const { mtime } = await stat(join(root, path));
  return {
    path: path.split(sep).join("/"),
    modifiedAt: mtime.toISOString(),
    read: () => createReadStream(join(root, path)),
  };
}

/** Files of a folder and its folders, except those whose names begin with a dot. Symbolic links are not followed. */
export const folder = (root: string): FileSource =>
  async function* () {
    const folders = [root];
    for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
      for await (const entry of await opendir(current)) {
        if (entry.name.startsWith(".")) continue;
        const path = join(current, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else if (entry.isFile()) yield await toSourceFile(root, relative(root, path));
      }
    }
  };
