/**
 * Entry point of `npm run dev`: serves the app like `npm start`, and an edited function from its next invocation on. The whole
 * app starts again, with its data, when an edit changes more than the code of functions.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FSWatcher, globSync, readFileSync, statSync, watch } from "node:fs";
import { basename, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getEnvironment } from "../../shared/lib/env.ts";
import { readAssembly } from "../local/assembly/assembly.ts";
import { ensureAssembly } from "../local/assembly/assembly-cache.ts";
import { stopWithNpm } from "../local/stop-with-npm.ts";
import { FunctionBuilds } from "./function-builds.ts";

const root = resolve(import.meta.dirname, "../..");
const bundleDirectory = join(root, "cdk.out", "dev-functions");

/** Directories whose files are watched. */
const watchedDirectories = ["functions", "shared", "infra", "docs"];

/** Files whose changes need a new synthesis, because bundles, templates or documents are computed from them. */
const startupSources = /^(infra|docs|shared\/(api|openapi))\//;

/** Time to wait for further changes after one, because editors write a file in several steps. */
const SETTLE_MS = 20;

/** Time without a change after which the app is synthesized again, which takes seconds of CPU time. */
const SYNTHESIS_DELAY_MS = 500;

process.env.BUNDLE_DIRECTORY = bundleDirectory;

const changedFiles = new Set<string>();
let wake = () => {};
const watchers = new Map<string, FSWatcher>();

/**
 * Watches a directory and each directory below it separately, because a recursive watch misses files that an editor replaces
 * by renaming. Replaces existing watchers.
 */
function watchTree(path: string): void {
  for (const [directory, watcher] of watchers) {
    if (directory !== path && !directory.startsWith(`${path}/`)) continue;
    watcher.close();
    watchers.delete(directory);
  }
  for (const directory of globSync(`${path}/**/`, { cwd: root })) {
    try {
      const watcher = watch(join(root, directory), (_, name) => name !== null && handleChange(join(directory, name)));
      watchers.set(directory, watcher.on("error", report));
    } catch (error) {
      report(error);
    }
  }
}

function handleChange(path: string): void {
  const isDirectory = statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isDirectory) watchTree(path);
  const paths = isDirectory ? globSync(`${path}/**`, { cwd: root }) : [path];
  const files = paths.filter((file) => /^\w[\w.-]*\.\w+$/.test(basename(file)));
  for (const file of files) changedFiles.add(file);
  if (files.length > 0) wake();
}

for (const path of watchedDirectories) watchTree(path);

/** Waits for the next changes, and returns the paths of the files relative to the root. */
async function nextChanges(): Promise<Set<string>> {
  if (changedFiles.size === 0) await new Promise<void>((resolve) => (wake = resolve));
  await sleep(SETTLE_MS);
  const files = new Set(changedFiles);
  changedFiles.clear();
  return files;
}

let runner: ChildProcess | undefined;
const shutdown = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    shutdown.abort();
    await stopRunner(signal);
    process.exit(0);
  });
}

/** The parent at the start of the first process. It can end while a process is replaced. */
const parent = Number(getEnvironment().DEV_PARENT ?? process.ppid);
stopWithNpm(parent);

function startRunner(): ChildProcess {
  const script = join(root, "infra/local/main.ts");
  const args = [
    "--import",
    join(root, "infra/demo/model/main.ts"),
    script,
    "--watch",
    "--with",
    "infra/demo/main.ts",
    ...process.argv.slice(2),
  ];
  const child = spawn(process.execPath, args, { cwd: root, env: getEnvironment(), stdio: "inherit" });
  child.once("exit", (code) => process.exit(code ?? 1));
  return child;
}

async function stopRunner(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (!runner || runner.exitCode !== null || runner.signalCode !== null) return;
  runner.removeAllListeners("exit");
  const exited = once(runner, "exit");
  runner.kill(signal);
  await exited;
}

/** Replaces this process by a new one, so that all modules are loaded again. */
async function startOver(reason: string): Promise<never> {
  console.log(`${reason} changed; starting again.`);
  await stopRunner();
  // The handler of the signal waits for the runner too, and exits after it. A new process would not know of the signal.
  if (shutdown.signal.aborted) process.exit(0);
  process.execve?.(process.execPath, [process.execPath, ...process.argv.slice(1)], {
    ...getEnvironment(),
    DEV_PARENT: String(parent),
  });
  console.error("This system cannot replace a process; start again yourself.");
  process.exit(1);
}

/** Returns the content of a cloud assembly that affects its deployment, without asset hashes, to compare two assemblies. */
function readDeployment(directory: string): string {
  const { assets } = readAssembly(directory);
  const templates = globSync("*.template.json", { cwd: directory }).sort();
  return [...templates.map((file) => readFileSync(join(directory, file), "utf8")), ...new Set(assets.values())]
    .join("\n")
    .replaceAll(directory, "")
    .replaceAll(/[0-9a-f]{64}/g, "");
}

/** Synthesizes the app again, and restarts it if the result differs in more than the code of functions. */
async function compareDeployment(deployed: string, signal: AbortSignal): Promise<void> {
  await sleep(SYNTHESIS_DELAY_MS);
  if (signal.aborted) return;
  const { directory, finished } = await ensureAssembly(root, signal);
  await finished;
  if (readDeployment(directory) !== deployed) await startOver("The deployment");
}

function report(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
}

async function serve(): Promise<void> {
  const builds = new FunctionBuilds(root, bundleDirectory);
  await builds.buildAll();
  const { directory, finished } = await ensureAssembly(root, shutdown.signal);
  await finished;
  const deployed = readDeployment(directory);
  runner = startRunner();
  let comparison = new AbortController();
  while (true) {
    const files = await nextChanges();
    const startedAt = performance.now();
    comparison.abort();
    const source = [...files].find((file) => startupSources.test(file));
    if (source) await startOver(source);
    try {
      const count = await builds.rebuild(new Set([...files].map((file) => join(root, file))));
      const ms = (performance.now() - startedAt).toFixed(0);
      if (count > 0) console.log(`${[...files].join(", ")}: ${count} bundles changed in ${ms} ms.`);
      comparison = new AbortController();
      const { signal } = comparison;
      compareDeployment(deployed, signal).catch((error) => signal.aborted || report(error));
    } catch (error) {
      report(error);
    }
  }
}

try {
  await serve();
} catch (error) {
  report(error);
  console.error("Waiting for a change.");
  await nextChanges();
  await startOver("A source");
}
