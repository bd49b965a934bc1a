import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { parseSync } from "oxc-parser";

/** Returns the source ranges of the initial values of a module's top-level constants. */
function findInitializers(file: string, source: string): { start: number; end: number }[] {
  return parseSync(file, source).program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration") return [];
    return declaration.declarations.flatMap(({ init }) => (init?.type === "CallExpression" ? [init] : []));
  });
}

/**
 * esbuild plugin that marks the constants in contracts and the handlers of operations as free of side effects, so that a
 * function contains only those that it uses. Otherwise esbuild keeps every constant of a file, because calls and spreads may
 * have effects.
 */
export const pureContractsPlugin: Plugin = {
  name: "pure-contracts",
  setup({ onLoad }) {
    onLoad({ filter: /(?:shared|functions)[\\/]api[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      let contents = source;
      for (const { start, end } of findInitializers(path, source).reverse()) {
        contents = `${contents.slice(0, start)}/* @__PURE__ */ (() => ${contents.slice(start, end)})()${contents.slice(end)}`;
      }
      return { contents, loader: "ts" };
    });
  },
};
