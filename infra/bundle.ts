import { createHash, randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join, relative } from "node:path";
import { build, type Plugin } from "esbuild";
import type { Route } from "../shared/api/define-route.ts";
import { browserPrograms } from "./browser-program.ts";
import { entryOf, notFoundEntry } from "./naming.ts";
import { SynthesisError } from "./synthesis-error.ts";

/** The code of every function, ready to be uploaded. */
export interface Bundle {
  /** Directory that holds the bundled entry file and nothing else. */
  directoryOf(entry: string): string;
  /** Entry files of the stream processors. */
  readonly processors: readonly string[];
  /** Entry files of what queues hand over to. */
  readonly jobs: readonly string[];
}

/** Modules that are imported but never run, as patterns of what an import says: half of what a bundle would weigh. */
const neverRun = [
  // aws-lambda-stream's connectors for claim checks, event buses and encryption, each with a whole client.
  "@aws-sdk/client-(eventbridge|kms|s3)",
  "aws-kms-ee",
  // Ways to credentials on other machines: Lambda gives a function its own in the environment.
  "@aws-sdk/credential-provider-(http|ini|login|process|sso|web-identity)",
  "@smithy/credential-provider-imds",
  // zod's messages in fifty languages.
  "\\.\\./locales/index\\.js",
];

/** Bundles of this many earlier states of the sources are kept. */
const kept = 8;

const leaveOut: Plugin = {
  name: "leave-out",
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${neverRun.join("|")})(/|$)`);
    onResolve({ filter }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /./, namespace: "left-out" }, () => ({ contents: "module.exports = {};" }));
  },
};

/**
 * Bundles every entry point into `dist/<hash of the sources>/<entry>/index.cjs`, unless that is there already.
 * @param root directory of the repository
 * @throws SynthesisError when an entry file is missing or does not compile
 */
export async function bundleFunctions(routes: readonly Route[], root: string): Promise<Bundle> {
  const processors = filesIn(join(root, "functions/changes"))
    .filter((file) => file.endsWith("/index.ts"))
    .map((file) => relative(root, file));
  const jobs = filesIn(join(root, "functions/jobs")).map((file) => relative(root, file));
  const entries = [...entriesOf(routes, root), ...processors, ...jobs];
  const dist = join(root, "dist");
  const target = join(dist, fingerprint(root, entries));
  if (existsSync(target)) await utimes(target, new Date(), new Date());
  else await compile(entries, root, dist, target);
  await prune(dist, target);
  return { processors, jobs, directoryOf: (entry) => join(target, directoryName(entry)) };
}

function entriesOf(routes: readonly Route[], root: string): string[] {
  const missing = routes.filter((route) => !existsSync(join(root, entryOf(route))));
  if (missing.length > 0) {
    const lines = missing.map((route) => `  ${route.id} (${route.method} ${route.path}): ${entryOf(route)}`);
    throw new SynthesisError(`Routes without a handler file:\n${lines.join("\n")}`);
  }
  const authorizers = readdirSync(join(root, "functions/authorizers")).map((file) => `functions/authorizers/${file}`);
  return [...routes.map(entryOf), notFoundEntry, ...authorizers];
}

/** `functions/api/open/get-health.ts` → `api/open/get-health`, `functions/changes/audit/index.ts` → `changes/audit`. */
function directoryName(entry: string): string {
  return entry.replace(/^functions\//, "").replace(/(\/index)?\.ts$/, "");
}

/** A hash of everything a bundle is made from: sources, locked packages, this file, and which entries there are. */
function fingerprint(root: string, entries: readonly string[]): string {
  const sources = [...filesIn(join(root, "functions")), ...filesIn(join(root, "shared"))];
  const hash = createHash("sha256").update(JSON.stringify(entries));
  const own = [import.meta.filename, join(import.meta.dirname, "browser-program.ts")];
  for (const file of [...sources, join(root, "package-lock.json"), ...own]) {
    hash.update(relative(root, file)).update(readFileSync(file));
  }
  return hash.digest("hex").slice(0, 16);
}

function filesIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Into a directory of its own first: whoever bundles the same sources at the same time must not see half of it. */
async function compile(entries: readonly string[], root: string, dist: string, target: string): Promise<void> {
  const draft = join(dist, `draft-${randomUUID()}`);
  await mkdir(dist, { recursive: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints: entries.map((entry) => ({ in: entry, out: `${directoryName(entry)}/index` })),
      outdir: draft,
      outExtension: { ".js": ".cjs" },
      bundle: true,
      platform: "node",
      target: "node24",
      // See decisions/0003: it loads faster than an ES module here.
      format: "cjs",
      // What packages offer as ES modules, because only of those can unused parts be left out.
      mainFields: ["module", "main"],
      // Names stay and lines stay short, so that stack traces can be read without source maps.
      minifySyntax: true,
      minifyWhitespace: true,
      lineLimit: 160,
      legalComments: "none",
      plugins: [leaveOut, browserPrograms(root)],
      logLevel: "silent",
    });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw new SynthesisError(`The functions do not compile.\n${(error as Error).message}`);
  }
}

async function prune(dist: string, current: string): Promise<void> {
  const others = (await readdir(dist)).map((name) => join(dist, name)).filter((path) => path !== current);
  // What somebody else removes meanwhile is none of ours any more.
  const used = (path: string) =>
    stat(path).then(
      ({ mtimeMs }) => [{ path, used: mtimeMs }],
      () => [],
    );
  const dated = (await Promise.all(others.map(used))).flat();
  const surplus = dated.sort((one, other) => other.used - one.used).slice(kept - 1);
  await Promise.all(surplus.map(({ path }) => rm(path, { recursive: true, force: true })));
}
