import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Route } from "../../shared/api/define-route.ts";
import { entryPointOf, kebabCase } from "../naming.ts";
import { listSourceFiles } from "../source-files.ts";
import { SynthesisError } from "../synthesis-error.ts";

/** Code of a function. */
export interface EntryPoint {
  /** Name of the handler of an operation, such as `createNoteHandler`; of all other functions, their file. */
  readonly id: string;
  /** File relative to the repository root. */
  readonly file: string;
  /** Name of the export that is the handler. */
  readonly exportName: string;
  /** Path of the function among all: `api/memory/create-note`, or `changes/audit` for `functions/changes/audit/index.ts`. */
  readonly path: string;
}

/** Entry points of all functions. */
interface EntryPoints {
  readonly all: readonly EntryPoint[];
  /** Files of the stream processors. */
  readonly processors: readonly string[];
  /** Files of the queue consumers. */
  readonly jobs: readonly string[];
  /** Files of the functions at regular times. */
  readonly scheduled: readonly string[];
}

/**
 * Returns the entry points of all functions: each export of the files in `functions/api` that ends with `Handler`, the `handler`
 * of each file in the other folders and, for stream processors, that of each `index.ts`.
 */
export function listEntryPoints(root: string): EntryPoints {
  const list = (folder: string) => listSourceFiles(join(root, "functions", folder)).map((file) => relative(root, file));
  const processors = list("changes").filter((file) => file.endsWith("/index.ts"));
  const [jobs, scheduled] = [list("jobs"), list("scheduled")];
  const operations = list("api").flatMap((file) => operationsIn(root, file));
  const others = [...["streaming", "authorizers"].flatMap(list), ...processors, ...jobs, ...scheduled];
  return { all: [...operations, ...others.map(onlyFunctionIn)], processors, jobs, scheduled };
}

const pathOf = (file: string) => file.replace(/^functions\//, "").replace(/(\/index)?\.ts$/, "");

const onlyFunctionIn = (file: string): EntryPoint => ({ id: file, file, exportName: "handler", path: pathOf(file) });

function operationsIn(root: string, file: string): EntryPoint[] {
  const exports = readFileSync(join(root, file), "utf8").matchAll(/^export const (\w+)Handler\b/gm);
  const folder = pathOf(file).replace(/\/[^/]+$/, "");
  return [...exports].map(([, id = ""]) => {
    const exportName = `${id}Handler`;
    return { id: exportName, file, exportName, path: `${folder}/${kebabCase(id)}` };
  });
}

/**
 * Checks that each route has a handler.
 * @throws SynthesisError that lists the missing handlers
 */
export function requireHandlers(routes: readonly Route[], root: string): void {
  const ids = new Set(listEntryPoints(root).all.map(({ id }) => id));
  const missing = routes.filter((route) => !ids.has(entryPointOf(route)));
  if (missing.length === 0) return;
  const lines = missing.map((route) => `  ${route.id} (${route.method} ${route.path}): ${entryPointOf(route)}`);
  throw new SynthesisError(`Routes without a handler in functions:\n${lines.join("\n")}`);
}
