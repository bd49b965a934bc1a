import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import type { Route } from "../shared/api/define-route.ts";
import { getToolSetting } from "../shared/lib/env.ts";
import { browserProgramPlugin } from "./browser-program.ts";
import { evaluatedModulePlugin } from "./evaluated-module.ts";
import { entryPointOf, notFoundEntryPoint } from "./naming.ts";
import { pureContractsPlugin } from "./pure-contracts.ts";
import { SynthesisError } from "./synthesis-error.ts";
import { type TableClientName, tableClientFor, tableClientPlugin } from "./table-clients.ts";

/** The bundled code of all functions. */
export interface Bundle {
  /** Returns the directory that contains only the bundled entry point. */
  directoryOf(entry: string): string;
  /** Returns the names in capital letters that the code of an entry point contains, environment variables among them. */
  variablesOf(entry: string): ReadonlySet<string>;
  /** Entry points of the stream processors. */
  readonly processors: readonly string[];
  /** Entry points of the queue consumers. */
  readonly jobs: readonly string[];
}

/** Import patterns of modules that are imported but never run. Stubbing them halves the bundle size. */
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

/** `SOURCE_MAPS=1` adds inline source maps for a debugger; they are never deployed because they triple the size. */
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

/**
 * Bundles every entry point into `dist/<hash of the sources>/<entry>/index.cjs`, unless that bundle already exists.
 * @param root repository root
 * @throws SynthesisError when an entry point is missing or does not compile
 */
export async function bundleFunctions(routes: readonly Route[], root: string): Promise<Bundle> {
  const processors = listFiles(join(root, "functions/changes"))
    .filter((file) => file.endsWith("/index.ts"))
    .map((file) => relative(root, file));
  const jobs = listFiles(join(root, "functions/jobs")).map((file) => relative(root, file));
  const entries = [...findEntryPoints(routes, root), ...processors, ...jobs];
  const dist = join(root, "dist");
  const target = join(dist, hashSources(root, entries));
  if (existsSync(target)) await utimes(target, new Date(), new Date());
  else await bundleInto(entries, root, dist, target);
  await prune(dist, target);
  const directoryOf = (entry: string) => join(target, directoryName(entry));
  return { processors, jobs, directoryOf, variablesOf: (entry) => findVariables(directoryOf(entry)) };
}

/** Returns the names in capital letters in a bundle. What the entry point does not use was removed from it. */
function findVariables(directory: string): ReadonlySet<string> {
  // esbuild breaks long lines in the middle of a string, with a backslash.
  const code = readFileSync(join(directory, "index.cjs"), "utf8").replaceAll("\\\n", "");
  return new Set(code.match(/\b[A-Z][A-Z0-9_]+\b/g));
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

/** Hashes all inputs of the bundle: sources, package lock, this file and the list of entry points. */
function hashSources(root: string, entries: readonly string[]): string {
  const sources = [...listFiles(join(root, "functions")), ...listFiles(join(root, "shared"))];
  const hash = createHash("sha256").update(
    JSON.stringify([hasSourceMaps(), entries.map((entry) => [entry, tableClientFor(entry)])]),
  );
  const bundlerFiles = [
    import.meta.filename,
    join(import.meta.dirname, "browser-program.ts"),
    join(import.meta.dirname, "table-clients.ts"),
    join(import.meta.dirname, "pure-contracts.ts"),
  ];
  for (const file of [...sources, join(root, "package-lock.json"), ...bundlerFiles]) {
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

async function buildEntryPoints(
  entries: readonly string[],
  root: string,
  draft: string,
  client: TableClientName,
): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({ in: entry, out: `${directoryName(entry)}/index` })),
    outdir: draft,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    target: "node24",
    // CommonJS loads faster than an ES module here, see decisions/0003.
    format: "cjs",
    // Prefer ES modules of packages, because only these can be tree-shaken.
    mainFields: ["module", "main"],
    // Keep names and short lines, so that stack traces are readable without source maps.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: "none",
    // A bundle that starts a worker thread starts it from its own file.
    define: { "import.meta.filename": "__filename" },
    sourcemap: hasSourceMaps() && "inline",
    plugins: [
      stubPlugin,
      evaluatedModulePlugin,
      pureContractsPlugin,
      tableClientPlugin(client),
      browserProgramPlugin(root),
    ],
    logLevel: "silent",
  });
}

/** Bundles into a temporary directory and renames it, so that concurrent processes never see a partial bundle. */
async function bundleInto(entries: readonly string[], root: string, dist: string, target: string): Promise<void> {
  const draft = join(dist, `draft-${randomUUID()}`);
  await mkdir(dist, { recursive: true });
  try {
    const builds = Object.entries(Object.groupBy(entries, tableClientFor)).map(([client, group]) =>
      buildEntryPoints(group, root, draft, client as TableClientName),
    );
    // All builds must have ended before the temporary directory is removed, because a running build would still write
    // into it.
    const failure = (await Promise.allSettled(builds)).find((result) => result.status === "rejected");
    if (failure) throw failure.reason;
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
