import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/** Module that takes long, so that it is executed at the bundling for deployments only. */
const slowModules = /shared[\\/]openapi[\\/]rendered-document\.ts$/;

/** Modules that read files, which bundles do not contain. */
const fileModules = /shared[\\/](?:files[\\/]pdf[\\/]character-maps|guardrails[\\/]local[\\/]classifier-weights)\.ts$/;

const evaluate = (filter: RegExp): Plugin => ({
  name: "evaluated-module",
  setup({ onLoad }) {
    onLoad({ filter }, async ({ path }) => {
      const exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
      const lines = Object.entries(exports).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      return { contents: lines.join("\n"), loader: "js" };
    });
  },
});

/**
 * Returns esbuild plugins that execute modules at bundling and replace them by the values of their exports, which must be JSON.
 * @param isDeployed whether the bundle is for a deployment
 */
export const evaluatedModulePlugins = (isDeployed: boolean): Plugin[] => [
  evaluate(fileModules),
  ...(isDeployed ? [evaluate(slowModules)] : []),
];
