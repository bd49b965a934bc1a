import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin } from "esbuild";
import type { Route } from "../../shared/api/define-route.ts";
import { getToolSetting } from "../../shared/lib/env.ts";
import { entryPointOf, notFoundEntryPoint } from "../naming.ts";
import { SynthesisError } from "../synthesis-error.ts";
import { browserProgramPlugin } from "./browser-program.ts";
import { evaluatedModulePlugin } from "./evaluated-module.ts";
import { type BundleFile, providerPackageFiles, providerPackagesPlugin } from "./provider-packages.ts";
import { pureContractsPlugin } from "./pure-contracts.ts";

export interface Bundle {
  /** Returns the directory that contains only the bundled entry point. */
  directoryOf(entry: string): string;
  /** Entry points of the stream processors. */
  readonly processors: readonly string[];
  /** Entry points of the queue consumers. */
  readonly jobs: readonly string[];
}

/**
 * Import patterns of modules that the functions import but never run. Replacing them by empty modules halves the bundle size.
 */
const stubbedModules = [
  // Clients of aws-lambda-stream's connectors for claim checks, event buses and encryption.
  "@aws-sdk/client-(eventbridge|kms|s3)",
  "aws-kms-ee",
  // Credential providers that Lambda does not need: its credentials are in the environment.
  "@aws-sdk/credential-provider-(http|ini|login|process|sso|web-identity)",
  "@smithy/credential-provider-imds",
  // Error messages of zod in fifty languages.
  "\\.\\./locales/index\\.js",
];

/**
 * Returns true if bundles get inline source maps for a debugger. They triple the size, so that deployments do not have them.
 */
const hasSourceMaps = () => getToolSetting("SOURCE_MAPS") === "1";

/** Number of bundles and sites to keep in `dist`, one per state of the sources. */
const maxBundles = 16;

const stubPlugin: Plugin = {
  name: "stub",
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${stubbedModules.join("|")})(/|$)`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: "stub" }));
    onLoad({ filter: /./, namespace: "stub" }, () => ({ contents: "module.exports = {};" }));
  },
};

/** Entry points of all functions, as paths relative to the repository root. */
interface EntryPoints {
  readonly all: readonly string[];
  readonly processors: readonly string[];
  readonly jobs: readonly string[];
  readonly scheduled: readonly string[];
}

/**
 * Returns the entry points of all functions.
 * @throws SynthesisError if the entry point of a route does not exist
 */
export function listEntryPoints(routes: readonly Route[], root: string): EntryPoints {
  const processors = listFiles(join(root, "functions/changes"))
    .filter((file) => file.endsWith("/index.ts"))
    .map((file) => relative(root, file));
  const jobs = listFiles(join(root, "functions/jobs")).map((file) => relative(root, file));
  const scheduled = listFiles(join(root, "functions/scheduled")).map((file) => relative(root, file));
  return { all: [...findEntryPoints(routes, root), ...processors, ...jobs, ...scheduled], processors, jobs, scheduled };
}

/**
 * Bundles every entry point into `dist/<hash of the sources>/<entry>/index.cjs`, unless that bundle already exists.
 * `BUNDLE_DIRECTORY` names a directory of finished bundles to use instead.
 * @param root repository root
 * @throws SynthesisError when an entry point is missing or does not compile
 */
export async function bundleFunctions(
  routes: readonly Route[],
  root: string,
  form: CodeForm = "minified",
): Promise<Bundle> {
  const { all, processors, jobs } = listEntryPoints(routes, root);
  const target = getToolSetting("BUNDLE_DIRECTORY") || (await bundleIntoCache(all, root, form));
  const directoryOf = (entry: string) => join(target, directoryName(entry));
  return { processors, jobs, directoryOf };
}

async function bundleIntoCache(entries: readonly string[], root: string, form: CodeForm): Promise<string> {
  const dist = join(root, "dist");
  const target = join(dist, hashSources(root, entries, form));
  if (existsSync(target)) await utimes(target, new Date(), new Date());
  else await bundleInto(entries, root, dist, target, form);
  await prune(dist, target);
  return target;
}

function findEntryPoints(routes: readonly Route[], root: string): string[] {
  const missing = routes.filter((route) => !existsSync(join(root, entryPointOf(route))));
  if (missing.length > 0) {
    const lines = missing.map((route) => `  ${route.id} (${route.method} ${route.path}): ${entryPointOf(route)}`);
    throw new SynthesisError(`Routes without a handler file:\n${lines.join("\n")}`);
  }
  const authorizers = readdirSync(join(root, "functions/authorizers")).map((file) => `functions/authorizers/${file}`);
  return [...routes.map(entryPointOf), notFoundEntryPoint, ...authorizers];
}

/** Converts `functions/api/open/get-health.ts` to `api/open/get-health`, and `functions/changes/audit/index.ts` to `changes/audit`. */
function directoryName(entry: string): string {
  return entry.replace(/^functions\//, "").replace(/(\/index)?\.ts$/, "");
}

/** Returns a hash of all inputs of the bundles: sources, package lock, this folder, the entry points and the code form. */
function hashSources(root: string, entries: readonly string[], form: CodeForm): string {
  const sources = [...listFiles(join(root, "functions")), ...listFiles(join(root, "shared"))];
  const hash = createHash("sha256").update(JSON.stringify([form, hasSourceMaps(), entries]));
  for (const file of [...sources, join(root, "package-lock.json"), ...listFiles(import.meta.dirname)]) {
    hash.update(relative(root, file)).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

function listFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** esbuild options that functions and provider packages share, in both code forms. */
const codeOptions: BuildOptions = {
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  target: "node24",
  // CommonJS loads faster than an ES module here, see decisions/0003.
  format: "cjs",
  // Prefer ES modules of packages, because only these can be tree-shaken.
  mainFields: ["module", "main"],
  legalComments: "none",
  logLevel: "silent",
};

/**
 * Form of the bundled code: minified for AWS, where size matters, or plain for the local runner, which takes 30 % less time
 * to bundle.
 */
export type CodeForm = "minified" | "plain";

/** esbuild options of minified code. Names and short lines are kept, so that stack traces are readable without source maps. */
const minification: BuildOptions = { minifySyntax: true, minifyWhitespace: true, lineLimit: 160 };

/** Files of the bundled functions, and esbuild's list of the sources in each. */
export interface BuildResult {
  readonly files: readonly BundleFile[];
  readonly metafile: Metafile;
}

/**
 * Bundles entry points in memory.
 * @throws BuildFailure if an entry point does not compile
 */
export async function buildFunctions(
  entries: readonly string[],
  root: string,
  outdir: string,
  form: CodeForm,
): Promise<BuildResult> {
  const options = form === "minified" ? { ...codeOptions, ...minification } : codeOptions;
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({ in: entry, out: `${directoryName(entry)}/index` })),
    outdir,
    // A bundle that starts a worker thread starts it from its own file.
    define: { "import.meta.filename": "__filename" },
    sourcemap: hasSourceMaps() && "inline",
    plugins: [
      stubPlugin,
      evaluatedModulePlugin,
      pureContractsPlugin,
      providerPackagesPlugin,
      browserProgramPlugin(root),
    ],
    write: false,
    metafile: true,
  });
  const packages = await providerPackageFiles(metafile, root, { ...options, plugins: [stubPlugin] });
  return { files: [...outputFiles, ...packages], metafile };
}

/** Writes the bundles to a temporary directory and renames it, so that concurrent processes never see a partial one. */
async function bundleInto(
  entries: readonly string[],
  root: string,
  dist: string,
  target: string,
  form: CodeForm,
): Promise<void> {
  const draft = join(dist, `draft-${randomUUID()}`);
  await mkdir(dist, { recursive: true });
  try {
    for (const { path, contents } of (await buildFunctions(entries, root, draft, form)).files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, contents);
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw new SynthesisError(`Bundling the functions failed.\n${(error as Error).message}`);
  }
}

async function prune(dist: string, current: string): Promise<void> {
  const others = (await readdir(dist)).map((name) => join(dist, name)).filter((path) => path !== current);
  // Another process can remove a directory concurrently; skip it.
  const withLastUse = (path: string) =>
    stat(path).then(
      ({ mtimeMs }) => [{ path, usedAtMs: mtimeMs }],
      () => [],
    );
  const bundles = (await Promise.all(others.map(withLastUse))).flat();
  const surplus = bundles.sort((a, b) => b.usedAtMs - a.usedAtMs).slice(maxBundles - 1);
  await Promise.all(surplus.map(({ path }) => rm(path, { recursive: true, force: true })));
}
