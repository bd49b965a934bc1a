import { createReadStream, type Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { FileSource, SourceFile } from "../source-file.ts";

const hasCode = (error: unknown, code: string) => error instanceof Error && "code" in error && error.code === code;

/** Returns a file that stands for what cannot be read, so that its documents do not count as removed. */
function unreadable(path: string, error: unknown): SourceFile {
  // Names are read as UTF-8, so that one with other bytes names no file.
  const reason = path.includes("\ufffd") ? new Error("the name is not UTF-8") : error;
  const next = () => Promise.reject(reason);
  return { path: path.split(sep).join("/"), read: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) };
}

/**
 * Returns the file at a path of the disk as a file of a source; undefined for a symbolic link, which can lead out of the source, for
 * other kinds of entries, and for one that is gone.
 */
export async function toSourceFile(root: string, path: string): Promise<SourceFile | undefined> {
  try {
    const found = await lstat(join(root, path));
    if (!found.isFile()) return undefined;
    return {
      path: path.split(sep).join("/"),
      modifiedAt: found.mtime.toISOString(),
      read: () => createReadStream(join(root, path)),
    };
  } catch (error) {
    return hasCode(error, "ENOENT") && !path.includes("\ufffd") ? undefined : unreadable(path, error);
  }
}

/** Hidden files, and the files with which Office and LibreOffice mark an open document. */
const isLeftOut = (name: string) => name.startsWith(".") || name.startsWith("~$");

/** Files of a folder and its folders, except hidden ones and marks of open documents. Symbolic links are not followed. */
export const folder = (root: string): FileSource =>
  async function* () {
    const folders = [root];
    for (let current = folders.pop(); current !== undefined; current = folders.pop()) {
      let entries: Dirent[];
      try {
        entries = await readdir(current, { withFileTypes: true });
      } catch (error) {
        if (current === root) throw error;
        if (!hasCode(error, "ENOENT")) yield unreadable(relative(root, current), error);
        continue;
      }
      for (const entry of entries) {
        if (isLeftOut(entry.name)) continue;
        const path = join(current, entry.name);
        if (entry.isDirectory()) folders.push(path);
        else {
          const file = await toSourceFile(root, relative(root, path));
          if (file) yield file;
        }
      }
    }
  };
