import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import type { Route } from "../../shared/api/define-route.ts";
import { entryPointOf } from "../naming.ts";
import { listSourceFiles } from "../source-files.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** Entry points of all functions, as paths relative to the repository root. */
interface EntryPoints {
  readonly all: readonly string[];
  readonly processors: readonly string[];
  readonly jobs: readonly string[];
  readonly scheduled: readonly string[];
}

/** Returns the entry points of all functions: each file in their folders and, for stream processors, each `index.ts`. */
export function listEntryPoints(root: string): EntryPoints {
  const list = (folder: string) => listSourceFiles(join(root, "functions", folder)).map((file) => relative(root, file));
  const processors = list("changes").filter((file) => file.endsWith("/index.ts"));
  const [jobs, scheduled] = [list("jobs"), list("scheduled")];
  const others = ["api", "streaming", "authorizers"].flatMap(list);
  return { all: [...others, ...processors, ...jobs, ...scheduled], processors, jobs, scheduled };
}

/**
 * Checks that each route has a handler.
 * @throws SynthesisError that lists the missing files
 */
export function requireHandlers(routes: readonly Route[], root: string): void {
  const missing = routes.filter((route) => !existsSync(join(root, entryPointOf(route))));
  if (missing.length === 0) return;
  const lines = missing.map((route) => `  ${route.id} (${route.method} ${route.path}): ${entryPointOf(route)}`);
  throw new SynthesisError(`Routes without a handler file:\n${lines.join("\n")}`);
}
