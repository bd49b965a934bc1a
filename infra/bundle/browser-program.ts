import { readFile } from "node:fs/promises";
import { build, type Plugin, transform } from "esbuild";

/** esbuild plugin that turns an imported style sheet into a string, which browser programs pass to `CSSStyleSheet`. */
const stylesPlugin: Plugin = {
  name: "styles",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

/**
 * Bundles a browser program with its dependencies into one script: `functions/web/<name>/index.ts` as a classic script, or
 * the entry `<name>/<part>` as an ES module. Texts are JSON.
 */
async function bundleBrowserProgram(name: string, root: string): Promise<string> {
  const [program = "", ...parts] = name.split("/");
  const part = parts.join("/") || "index";
  const { outputFiles } = await build({
    absWorkingDir: root,
    ...(part.startsWith("texts/")
      ? { stdin: { contents: `export { default } from "./functions/web/${program}/${part}.json"`, resolveDir: root } }
      : { entryPoints: [`functions/web/${program}/${part}.ts`] }),
    bundle: true,
    write: false,
    platform: "browser",
    target: ["chrome123", "firefox124", "safari17.5"],
    charset: "utf8",
    format: part === "index" ? "iife" : "esm",
    minify: true,
    // Pages with Trusted Types forbid the package variants for browsers that decode entities as HTML.
    ...(program === "widget" && { conditions: ["worker"] }),
    legalComments: "none",
    plugins: [stylesPlugin],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** esbuild plugin for functions that serve a browser program: the import `browser:<name>` returns the program's text. */
export function browserProgramPlugin(root: string): Plugin {
  return {
    name: "browser-programs",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^browser:/ }, ({ path }) => ({ path: path.replace("browser:", ""), namespace: "browser" }));
      onLoad({ filter: /./, namespace: "browser" }, async ({ path }) => ({
        contents: await bundleBrowserProgram(path, root),
        loader: "text",
      }));
    },
  };
}
