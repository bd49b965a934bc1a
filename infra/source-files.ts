import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Returns the files below a directory in alphabetical order. For a file, returns this file; for a missing path, nothing. */
export function listSourceFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
