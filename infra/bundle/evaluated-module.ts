import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Modules that are executed at bundling, instead of in each function. Their exports must be JSON values. */
const evaluatedModules = /shared[\\/]openapi[\\/]rendered-document\.ts$/;

/** esbuild plugin that executes the modules in `evaluatedModules` and replaces them by the values of their exports. */
export const evaluatedModulePlugin: Plugin = {
  name: "evaluated-module",
  setup({ onLoad }) {
    onLoad({ filter: evaluatedModules }, async ({ path }) => {
      const exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
      const lines = Object.entries(exports).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
};
