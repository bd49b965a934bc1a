import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import type { Config } from "../config.ts";
import { listSourceFiles } from "../source-files.ts";
import { SynthesisError } from "../synthesis-error.ts";
import { renderDocs } from "./site-pages.ts";

/** Public sign-in settings, which the console loads from `console/config.json`. */
type SiteConfig =
  | { readonly provider: "local"; readonly tenant: string; readonly user: string; readonly roles: string }
  | {
      readonly provider: "oidc";
      readonly issuer: string;
      readonly client_id: string;
      readonly scope: string;
      readonly audience: string;
    };

function siteConfig({ settings, console: { clientId, scope } }: Config): SiteConfig {
  const { AUTH_PROVIDER, DEV_TENANT_ID, DEV_USER_ID, DEV_USER_ROLES, JWT_ISSUER, JWT_AUDIENCE } = settings.auth;
  if (AUTH_PROVIDER === "local") {
    return {
      provider: "local",
      tenant: DEV_TENANT_ID ?? "",
      user: DEV_USER_ID ?? "",
      roles: DEV_USER_ROLES ?? "",
    };
  }
  return { provider: "oidc", issuer: JWT_ISSUER ?? "", client_id: clientId, scope, audience: JWT_AUDIENCE ?? "" };
}

/**
 * Returns the directory `dist/site-<hash>` with the console and the documentation. Builds it unless it exists. The paths of
 * its files are their URL paths.
 * @param root repository root
 * @throws SynthesisError if a source does not compile
 */
export async function bundleSite(config: Config, version: string, root: string): Promise<string> {
  const settings = JSON.stringify({ ...siteConfig(config), version });
  const hash = createHash("sha256").update(settings);
  const inputs = ["functions/web", "shared/client", "shared/api", "docs", "openapi.json", "package-lock.json"];
  const sources = [
    ...inputs.flatMap((path) => listSourceFiles(join(root, path))),
    ...listSourceFiles(import.meta.dirname),
  ];
  for (const file of sources) hash.update(file).update(await readFile(file));
  const target = join(root, "dist", `site-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(target)) await utimes(target, new Date(), new Date());
  else await buildInto(target, settings, root);
  return target;
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
    if (!existsSync(target)) throw new SynthesisError(`Bundling the site failed.\n${(error as Error).message}`);
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
/**
 * Build of Mermaid for browsers, one script that sets a global variable. It replaces the package `mermaid`, which has 120 MB.
 */
const mermaidLibrary = "node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js";
const diagramEntries = {
  mermaid: "functions/web/console/diagram/mermaid.ts",
  vega: "functions/web/console/diagram/vega.ts",
};
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
    entryPoints: diagramEntries,
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
  const library = await readFile(join(root, mermaidLibrary));
  const libraryPath = `/assets/mermaid-${createHash("sha256").update(library).digest("hex").slice(0, 8)}.js`;
  await writeFile(join(draft, libraryPath), library);
  await mkdir(join(draft, "diagrams"));
  for (const [name, entry] of Object.entries(diagramEntries)) {
    const { script } = findAssets(metafile.outputs, entry);
    const scripts = name === "mermaid" ? [libraryPath, script] : [script];
    const head = `<meta charset="utf-8"><title>Diagram</title><style>body { margin: 0 } svg { max-width: 100%; height: auto }</style>`;
    const html = `<!doctype html><html lang="en"><head>${head}</head><body>${scripts.map((src) => `<script src="${src}"></script>`).join("")}</body></html>\n`;
    await writeFile(join(draft, "diagrams", `${name}.html`), html);
  }
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
