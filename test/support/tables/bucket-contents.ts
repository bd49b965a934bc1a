import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Switchboard } from "../switchboard.ts";

/** Returns the names of all objects in an instance's buckets that contain a text. */
export function findObjectsContaining({ stateDir }: Switchboard, text: string): string[] {
  const entries = readdirSync(join(stateDir, "buckets"), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return files.filter((file) => readFileSync(file).includes(text));
}
