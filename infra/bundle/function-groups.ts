import { basename, dirname } from "node:path";
import type { Plugin } from "esbuild";
import type { EntryPoint } from "./entry-points.ts";

/**
 * Form of the bundled code: minified with a bundle for each function, for AWS, where size matters, or a bundle for a group of
 * functions, for the local runner. As most of their code is the same, these take half of the processor time.
 */
export type CodeForm = "minified" | "grouped";

/** Functions that share a bundle. */
export interface FunctionGroup {
  /** Path of its directory in that of all bundles. No group is in the directory of another. */
  readonly name: string;
  readonly entries: readonly EntryPoint[];
}

/** Functions that start threads and processes from their own bundle. */
const separateFunctions = ["jobs/process-file"];

/** Divides entry points into those that share a bundle: those of a folder in the form `grouped`. */
export function groupEntries(entries: readonly EntryPoint[], form: CodeForm): FunctionGroup[] {
  const groupNameOf = ({ path }: EntryPoint) =>
    form === "minified" || separateFunctions.includes(path) ? path : `${dirname(path)}/all`;
  const groups = Map.groupBy(entries, groupNameOf);
  return [...groups].map(([name, members]) => ({ name, entries: members }));
}

/** Returns the only function of a bundle. Other bundles export each function under the last part of its path. */
function onlyFunction({ name, entries }: FunctionGroup): EntryPoint | undefined {
  return entries.find(({ path }) => path === name);
}

/** Returns the handler of a function in Lambda's format, file and export. */
export const handlerOf = ({ path }: EntryPoint, group: FunctionGroup) =>
  `index.${onlyFunction(group) ? "handler" : basename(path)}`;

/** Returns what esbuild gets as the entry point of a bundle; `functionGroupsPlugin` resolves it. */
export const esbuildEntryOf = (group: FunctionGroup) => `group:${group.name}`;

function codeOfGroup(group: FunctionGroup): string {
  const only = onlyFunction(group);
  if (only) return `export { ${only.exportName} as handler } from "./${only.file}";`;
  const getters = group.entries.map(
    ({ path, file, exportName }) => `get "${basename(path)}"() { return require("./${file}").${exportName}; }`,
  );
  return `module.exports = { ${getters.join(",\n")} };`;
}

/**
 * esbuild plugin for the entry points of bundles. In a bundle of several functions, modules are loaded for the function that is
 * used, as in a bundle of its own.
 */
export function functionGroupsPlugin(groups: readonly FunctionGroup[], root: string): Plugin {
  return {
    name: "function-groups",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^group:/ }, ({ path }) => ({ path: path.replace("group:", ""), namespace: "group" }));
      onLoad({ filter: /./, namespace: "group" }, ({ path }) => {
        const group = groups.find(({ name }) => name === path);
        return { contents: group && codeOfGroup(group), resolveDir: root };
      });
    },
  };
}
