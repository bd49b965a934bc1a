import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { SynthesisError } from "../synthesis-error.ts";
import type { SitePlan } from "./bundle-plan.ts";
import { renderDocs } from "./site-pages.ts";

/**
 * Builds the console and the documentation, unless they are there.
 * @throws SynthesisError if a source does not compile
 */
export async function bundleSite({ root, settings, directory }: SitePlan): Promise<void> {
  if (existsSync(join(directory, "index.html"))) await utimes(directory, new Date(), new Date());
  else await buildInto(directory, settings, root);
}

async function buildInto(target: string, settings: string, root: string): Promise<void> {
  const draft = join(root, "dist", `draft-${randomUUID()}`);
  try {
    await mkdir(join(draft, "console"), { recursive: true });
    await writeFile(join(draft, "console/config.json"), settings);
    const outputs = await bundleAssets(draft, root);
    const page = await readFile(join(root, "functions/web/console/index.html"), "utf8");
    const assets = [findAssets(outputs, consoleEntry), findAssets(outputs, chatEntry)] as const;
    await writeFile(join(draft, "index.html"), linkAssets(page, ...assets));
    const style = findAssets(outputs, docsStyle).script;
    const { script } = findAssets(outputs, referenceEntry);
    for (const { path, html } of renderDocs(root, { style, script })) {
      await mkdir(join(draft, path), { recursive: true });
      await writeFile(join(draft, path, "index.html"), html);
    }
    await writeDiagramPages(draft, root);
    await cp(join(root, "functions/web/design/favicon.svg"), join(draft, "favicon.svg"));
    await cp(join(root, "functions/web/docs/robots.txt"), join(draft, "robots.txt"));
    await cp(join(root, "functions/web/console/manifest.json"), join(draft, "console/manifest.json"));
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process can have built the same site.
    if (!existsSync(join(target, "index.html")))
      throw new SynthesisError(`Bundling the site failed.\n${(error as Error).message}`);
  }
}

/** Output paths of an entry point's script and style, and of the scripts that a page must load with them. */
interface AssetNames {
  readonly script: string;
  readonly style: string;
  readonly preloads: readonly string[];
}

const consoleEntry = "functions/web/console/index.tsx";
/**
 * Entry point of the chat view, with which most visits begin. The page preloads its code instead of waiting for the sign-in.
 */
const chatEntry = "functions/web/console/chat/chat-view.tsx";
const referenceEntry = "functions/web/docs/reference.ts";
/** Programs of the pages that draw diagrams, and the builds of libraries for browsers, which set global variables. */
const diagrams = [
  {
    name: "mermaid",
    entry: "functions/web/console/diagram/mermaid.ts",
    // Replaces the package `mermaid`, which has 120 MB.
    libraries: ["@mermaid-js/tiny/dist/mermaid.tiny.js"],
  },
  {
    name: "vega",
    entry: "functions/web/console/diagram/vega.ts",
    libraries: ["vega/build/vega.min.js", "vega-lite/build/vega-lite.min.js"],
  },
];
const docsStyle = "functions/web/docs/docs.css";

type Outputs = Metafile["outputs"];

/** Bundles the programs and styles into `assets`, one script per view. File names contain a hash of the content. */
async function bundleAssets(draft: string, root: string): Promise<Outputs> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { console: consoleEntry, reference: referenceEntry, docs: docsStyle },
    outdir: join(draft, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: ["chrome123", "firefox124", "safari17.5"],
    // The version for browsers sets `innerHTML`, which the content security policy of the console forbids.
    alias: {
      "decode-named-character-reference": join(root, "node_modules/decode-named-character-reference/index.js"),
    },
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  return metafile.outputs;
}

/**
 * Writes the pages that draw diagrams in a sandboxed frame. Their scripts are classic ones, because the opaque origin of such
 * a frame may not load ES modules.
 */
async function writeDiagramPages(draft: string, root: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(diagrams.map(({ name, entry }) => [name, entry])),
    outdir: join(draft, "assets"),
    entryNames: "diagram-[name]-[hash]",
    bundle: true,
    format: "iife",
    platform: "browser",
    target: ["chrome123", "firefox124", "safari17.5"],
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  await mkdir(join(draft, "diagrams"));
  for (const { name, entry, libraries } of diagrams) {
    const paths = await Promise.all(libraries.map((file) => copyLibrary(join(root, "node_modules", file), draft)));
    const scripts = [...paths, findAssets(metafile.outputs, entry).script].map(
      (src) => `<script src="${src}"></script>`,
    );
    const head = `<meta charset="utf-8"><title>Diagram</title><style>body { margin: 0 } svg { max-width: 100%; height: auto }</style>`;
    const html = `<!doctype html><html lang="en"><head>${head}</head><body>${scripts.join("")}</body></html>\n`;
    await writeFile(join(draft, "diagrams", `${name}.html`), html);
  }
}

/** Copies a script to `assets` under a name with a hash of its content. @returns its path */
async function copyLibrary(file: string, draft: string): Promise<string> {
  const content = await readFile(file);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  const path = `/assets/${basename(file, ".js")}-${hash}.js`;
  await writeFile(join(draft, path), content);
  return path;
}

function findAssets(outputs: Outputs, entryPoint: string): AssetNames {
  const entry = Object.entries(outputs).find(([, output]) => output.entryPoint === entryPoint);
  if (!entry) throw new Error(`esbuild wrote nothing for ${entryPoint}`);
  const toPath = (output: string) => `/assets/${output.split("/").at(-1)}`;
  return {
    script: toPath(entry[0]),
    style: toPath(entry[1].cssBundle ?? ""),
    preloads: entry[1].imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => toPath(path)),
  };
}

/** Replaces the comments `<!-- scripts -->` and `<!-- styles -->` of a page by the tags that load its assets. */
function linkAssets(page: string, program: AssetNames, view: AssetNames): string {
  const preload = (path: string) => `<link rel="modulepreload" href="${path}">`;
  const isLoaded = new Set([program.script, ...program.preloads]);
  const scripts = [
    ...program.preloads.map(preload),
    `<script type="module" src="${program.script}"></script>`,
    // After the program, which sends requests while these arrive.
    ...[view.script, ...view.preloads].filter((path) => !isLoaded.has(path)).map(preload),
  ];
  return page
    .replace("<!-- scripts -->", scripts.join("\n    "))
    .replace("<!-- styles -->", `<link rel="stylesheet" href="${program.style}">`);
}
