import { readFile } from "node:fs/promises";
import { build, type Plugin, transform } from "esbuild";

/** Style sheets as texts: programs hand them to the browser themselves. */
const styles: Plugin = {
  name: "styles",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      return { contents: code.trim(), loader: "text" };
    });
  },
};

/** The text of a browser program: `functions/web/<name>/index.ts` with all it needs, as one classic script. */
async function browserProgram(name: string, root: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/web/${name}/index.ts`],
    bundle: true,
    write: false,
    platform: "browser",
    target: ["chrome123", "firefox124", "safari17.5"],
    charset: "utf8",
    format: "iife",
    minify: true,
    legalComments: "none",
    plugins: [styles],
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** Lets a function import `browser:<name>`: the text of a browser program that it serves. */
export function browserPrograms(root: string): Plugin {
  return {
    name: "browser-programs",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^browser:/ }, ({ path }) => ({ path: path.replace("browser:", ""), namespace: "browser" }));
      onLoad({ filter: /./, namespace: "browser" }, async ({ path }) => ({
        contents: await browserProgram(path, root),
        loader: "text",
      }));
    },
  };
}
