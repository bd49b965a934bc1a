import { basename, dirname } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Form of the bundled code: minified with a bundle for each function, for AWS, where size matters, or a bundle for a group of
 * functions, for the local runner. As most of their code is the same, these take half of the processor time.
 */
export type CodeForm = "minified" | "grouped";

/** Functions that share a bundle. */
export interface FunctionGroup {
  /** Path of its directory in that of all bundles. No group is in the directory of another. */
  readonly name: string;
  /** Entry points, as paths relative to the repository root. */
  readonly entries: readonly string[];
}

/** Converts `functions/api/open/get-health.ts` to `api/open/get-health`, and `functions/changes/audit/index.ts` to `changes/audit`. */
const functionPath = (entry: string) => entry.replace(/^functions\//, "").replace(/(\/index)?\.ts$/, "");

/** Functions that start threads and processes from their own bundle. */
const separateFunctions = ["jobs/process-file"];

/** Divides entry points into those that share a bundle: those of a folder in the form `grouped`. */
export function groupEntries(entries: readonly string[], form: CodeForm): FunctionGroup[] {
  const groupNameOf = (path: string) =>
    form === "minified" || separateFunctions.includes(path) ? path : `${dirname(path)}/all`;
  const groups = Map.groupBy(entries, (entry) => groupNameOf(functionPath(entry)));
  return [...groups].map(([name, members]) => ({ name, entries: members }));
}

/** Returns the only function of a bundle. Other bundles export each function under `exportName`. */
function onlyFunction({ name, entries }: FunctionGroup): string | undefined {
  return entries.find((entry) => functionPath(entry) === name);
}

/** Returns the name of the file or, for a stream processor, of its folder. File names of operations are unique. */
const exportName = (entry: string) => basename(functionPath(entry));

/** Returns the handler of a function in Lambda's format, file and export. */
export const handlerOf = (entry: string, group: FunctionGroup) =>
  `index.${onlyFunction(group) ? "handler" : exportName(entry)}`;

/** Returns what esbuild gets as the entry point of a bundle; `functionGroupsPlugin` resolves it. */
export const esbuildEntryOf = (group: FunctionGroup) => onlyFunction(group) ?? `group:${group.name}`;

/** esbuild plugin for the bundles of several functions. Modules are loaded for the function that is used, as in a bundle of its own. */
export function functionGroupsPlugin(groups: readonly FunctionGroup[], root: string): Plugin {
  return {
    name: "function-groups",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.replace("group:", ""), namespace: "group" }));
      onLoad({ filter: /./, namespace: "group" }, ({ path }) => {
        const entries = groups.find(({ name }) => name === path)?.entries ?? [];
        const getters = entries.map(
          (entry) => `get "${exportName(entry)}"() { return require("./${entry}").handler; }`,
        );
        return { contents: `module.exports = { ${getters.join(",\n")} };`, resolveDir: root };
      });
    },
  };
}
