import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { type OutputChunk, rolldown } from "rolldown";
import { SynthesisError } from "../synthesis-error.ts";
import { bodySchemasPlugin } from "./body-schemas.ts";
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
    const [programs, styles] = await Promise.all([
      bundlePrograms(draft, root),
      bundleWithEsbuild(
        { console: "functions/web/console/styles/console.css", docs: "functions/web/docs/docs.css" },
        draft,
        root,
      ),
    ]);
    const page = await readFile(join(root, "functions/web/console/index.html"), "utf8");
    await writeFile(join(draft, "index.html"), linkAssets(page, programs.console, styles.console));
    for (const { path, html } of renderDocs(root, { style: styles.docs, script: programs.reference.entry })) {
      await mkdir(join(draft, path), { recursive: true });
      await writeFile(join(draft, path, "index.html"), html);
    }
    await writeDiagramPages(draft, root);
    await writeWorker(draft, root);
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
  { name: "markup", entry: "functions/web/console/diagram/markup.ts", libraries: [] },
];
const browsers = ["chrome123", "firefox124", "safari17.5"];

/** Paths of an entry's script, of those that it imports, and of those that it imports while it runs. */
interface Scripts {
  readonly entry: string;
  readonly imports: readonly string[];
  readonly later: readonly string[];
}

/** Size in bytes below which modules that several views share are loaded together with others of that kind. */
const MIN_SHARED_BYTES = 20_000;

const toPath = (fileName: string) => `/assets/${fileName}`;

/**
 * Bundles the console and the script of the API reference into `assets`: one script for the frame of the console with a
 * new conversation, with which most visits begin, one for each other view, and few for what views share, because each
 * request costs a slow connection more than some unused code. File names contain a hash of the content.
 */
async function bundlePrograms(draft: string, root: string): Promise<Record<"console" | "reference", Scripts>> {
  const input = { console: "functions/web/console/index.tsx", reference: "functions/web/docs/reference.ts" };
  const bundle = await rolldown({
    cwd: root,
    input,
    platform: "browser",
    // As in `functions/web/tsconfig.json`, which extends a file outside of the sources whose hash names the site.
    tsconfig: false,
    plugins: [bodySchemasPlugin(root)],
    resolve: {
      // The version for browsers sets `innerHTML`, which the content security policy of the console forbids.
      alias: {
        "decode-named-character-reference": join(root, "node_modules/decode-named-character-reference/index.js"),
      },
    },
    transform: { target: browsers, jsx: { runtime: "automatic", importSource: "preact" } },
    preserveEntrySignatures: "allow-extension",
    logLevel: "silent",
  });
  const { output } = await bundle.write({
    dir: join(draft, "assets"),
    format: "esm",
    minify: true,
    comments: false,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: ({ name }) => `${name.replace(/~.*/, "")}-[hash].js`,
    codeSplitting: {
      groups: [
        // Modules with which the entry requests the session, while the code of the first view still arrives.
        {
          name: "session",
          test: /\/console\/(?:session\/session|lib\/(?:ignore-composition|invitation|show-cut-texts|theme))\.ts$|\/preact\//,
          priority: 3,
        },
        { name: "start", test: /\/console\/(?:rail|chat\/chat-view|ui\/code-snippet)\.tsx$/, priority: 2 },
        // Large, and needed by few of the views that share small components with it.
        { name: "markdown", test: /\/shared\/markdown\//, priority: 1 },
        { name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: MIN_SHARED_BYTES },
      ],
    },
  });
  await bundle.close();
  const importsOf = (name: string) =>
    output.flatMap((file) => (file.type === "chunk" && file.fileName === name ? file.imports : []));
  const scriptsOf = (entry: string): Scripts => {
    const chunk = output.find(
      (file): file is OutputChunk => file.type === "chunk" && file.isEntry && file.name === entry,
    );
    if (!chunk) throw new Error(`rolldown wrote nothing for ${entry}`);
    const imported = new Set(chunk.imports);
    const later = chunk.dynamicImports
      .flatMap((name) => [name, ...importsOf(name)])
      .filter((name) => !imported.has(name));
    return {
      entry: toPath(chunk.fileName),
      imports: chunk.imports.map(toPath),
      later: [...new Set(later)].map(toPath),
    };
  };
  return { console: scriptsOf("console"), reference: scriptsOf("reference") };
}

/** Bundles style sheets and classic scripts into `assets`. @returns their paths by the names of the entries */
async function bundleWithEsbuild<Name extends string>(
  entryPoints: Readonly<Record<Name, string>>,
  draft: string,
  root: string,
): Promise<Record<Name, string>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: join(draft, "assets"),
    entryNames: "[name]-[hash]",
    bundle: true,
    format: "iife",
    platform: "browser",
    target: browsers,
    minify: true,
    metafile: true,
    legalComments: "none",
    logLevel: "silent",
  });
  const paths = new Map(
    Object.entries(metafile.outputs).map(([output, { entryPoint }]) => [entryPoint, toPath(basename(output))]),
  );
  const toEntry = ([name, source]: [string, unknown]) => [name, paths.get(source as string)];
  return Object.fromEntries(Object.entries(entryPoints).map(toEntry));
}

/**
 * Writes the pages that draw diagrams in a sandboxed frame. Their scripts are classic ones, because the opaque origin of such
 * a frame may not load ES modules.
 */
async function writeDiagramPages(draft: string, root: string): Promise<void> {
  const entries = diagrams.map(({ name, entry }) => [`diagram-${name}`, entry]);
  const scripts = await bundleWithEsbuild<string>(Object.fromEntries(entries), draft, root);
  await mkdir(join(draft, "diagrams"));
  for (const { name, libraries } of diagrams) {
    const paths = await Promise.all(libraries.map((file) => copyLibrary(join(root, "node_modules", file), draft)));
    const tags = [...paths, scripts[`diagram-${name}`]].map((src) => `<script src="${src}"></script>`);
    const head = `<meta charset="utf-8"><title>Diagram</title><style>body { margin: 0 } svg { max-width: 100%; height: auto }</style>`;
    const html = `<!doctype html><html lang="en"><head>${head}</head><body>${tags.join("")}</body></html>\n`;
    await writeFile(join(draft, "diagrams", `${name}.html`), html);
  }
}

/** Bundles the service worker of the console, whose path must stay the same. */
async function writeWorker(draft: string, root: string): Promise<void> {
  const path = (await bundleWithEsbuild({ worker: "functions/web/console/offline/worker.ts" }, draft, root)).worker;
  await rename(join(draft, path), join(draft, "console/worker.js"));
}

/** Copies a script to `assets` under a name with a hash of its content. @returns its path */
async function copyLibrary(file: string, draft: string): Promise<string> {
  const content = await readFile(file);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  const path = `/assets/${basename(file, ".js")}-${hash}.js`;
  await writeFile(join(draft, path), content);
  return path;
}

/** Replaces the comments `<!-- scripts -->` and `<!-- styles -->` of a page by the tags that load its assets. */
function linkAssets(page: string, { entry, imports, later }: Scripts, style: string): string {
  const scripts = [
    ...imports.map((path) => `<link rel="modulepreload" href="${path}">`),
    `<script type="module" src="${entry}"></script>`,
    ...later.map((path) => `<link rel="modulepreload" fetchpriority="low" href="${path}">`),
  ];
  return page
    .replace("<!-- scripts -->", scripts.join("\n    "))
    .replace("<!-- styles -->", `<link rel="stylesheet" href="${style}">`);
}
