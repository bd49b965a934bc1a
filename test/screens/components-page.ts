import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "../..");

/** Returns the page with the design tokens and every control of the console as one HTML document. */
export async function bundleComponentsPage(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["functions/web/console/showcase/components.tsx"],
    outdir: "out",
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    logLevel: "silent",
  });
  const contentOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? "";
  const script = contentOf(".js").replaceAll("</script", "<\\/script");
  return `<!doctype html><html lang="en"><title>Components</title><style>${contentOf(".css")}</style><body><script>${script}</script>`;
}
