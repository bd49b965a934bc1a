import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, matchesGlob } from "node:path";
import { getEnvironment } from "../../../shared/lib/env.ts";
import { codeOf, Failure, messageOf } from "../failure.ts";
import { type Fields, fields, list, text } from "../json.ts";
import { warn } from "../log.ts";
import { readAssembly } from "./assembly.ts";

/** Inputs of the synthesis, apart from the environment variables that `cdk.json` lists. */
const inputPaths = ["infra", "functions", "shared", "docs", "openapi.json", "package-lock.json", "cdk.json"];

/** Number of assemblies to keep in the cache. */
const maxCachedAssemblies = 8;

/**
 * Returns the directory of an up-to-date cloud assembly of the app in `cdk.json`, for the stage `local`. Synthesizes only
 * when the cache has no assembly for the same files and settings. The context key `local:environment` in `cdk.json` lists
 * the relevant environment variables as globs. Safe to call from several runners at the same time.
 * @throws Failure when synthesis fails
 */
export async function ensureAssembly(project: string, signal: AbortSignal): Promise<string> {
  const configuration = readConfiguration(project);
  const context = fields(configuration.context);
  const command = text(configuration.app);
  if (!command) throw new Failure('cdk.json has no "app" command. Add one: { "app": "node infra/app.ts" }');
  const cache = join(project, "cdk.out", "local");
  const directory = join(cache, fingerprint(project, list(context["local:environment"]).map(String)));
  if (!isComplete(directory)) await synthesize(project, command, context, directory, signal);
  markUsed(directory);
  prune(cache);
  return directory;
}

/** Releases this process's claim on the assembly, so that it can be pruned. */
export function releaseAssembly(directory: string): void {
  rmSync(join(directory, usageMarkerName(process.pid)), { force: true });
}

function readConfiguration(project: string): Fields {
  try {
    return fields(JSON.parse(readFileSync(join(project, "cdk.json"), "utf8")));
  } catch (error) {
    throw new Failure(`Cannot read cdk.json (${messageOf(error)}). Run this command in the directory of the CDK app.`);
  }
}

function fingerprint(project: string, patterns: string[]): string {
  const hash = createHash("sha256");
  for (const path of inputPaths) addFiles(hash.update(path), join(project, path));
  const environment = Object.entries(getEnvironment())
    .filter(([name]) => patterns.some((pattern) => matchesGlob(name, pattern)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash.update(JSON.stringify(environment)).digest("hex").slice(0, 16);
}

function addFiles(hash: ReturnType<typeof createHash>, path: string): void {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    hash.update(readFileSync(path));
    return;
  }
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name === "node_modules") continue;
    hash.update(`\0${entry.name}\0`);
    if (entry.isDirectory()) addFiles(hash, join(path, entry.name));
    else hash.update(readFileSync(join(path, entry.name)));
  }
}

/** Checks that the assembly and all of its assets exist. Assets can live outside of the assembly and be deleted. */
function isComplete(directory: string): boolean {
  return (
    existsSync(join(directory, "manifest.json")) &&
    [...readAssembly(directory).assets.values()].every((path) => existsSync(path))
  );
}

/** Synthesizes into a temporary directory and renames it, so that other runners never see a partial assembly. */
async function synthesize(
  project: string,
  command: string,
  context: Fields,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const draft = `${directory}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    await runApp(project, command, signal, {
      CDK_OUTDIR: draft,
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        stage: "local",
        "aws:cdk:disable-asset-staging": true,
        "aws:cdk:enable-asset-metadata": false,
        "aws:cdk:enable-path-metadata": false,
        "aws:cdk:version-reporting": false,
      }),
    });
    makeRelative(draft);
    if (!isComplete(directory)) rmSync(directory, { recursive: true, force: true });
    renameSync(draft, directory);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another runner synthesized the same assembly concurrently.
    if (codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST") return;
    throw error;
  }
}

async function runApp(
  project: string,
  command: string,
  signal: AbortSignal,
  variables: Record<string, string>,
): Promise<void> {
  const inherited = getEnvironment();
  const child = spawn(command, {
    cwd: project,
    shell: true,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...inherited,
      // Run the app with the Node version that runs this process, regardless of PATH.
      PATH: `${dirname(process.execPath)}:${inherited.PATH ?? ""}`,
      // Template validation takes longer than the rest of the synthesis and matters only for CloudFormation.
      CDK_VALIDATION: "false",
      ...variables,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data: Buffer) => {
      output += data;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once("error", reject).once("close", resolve),
  );
  if (code === 0) return;
  warn("synthesis", output.trim());
  throw new Failure(
    `Synthesis failed: \`${command}\` exited with code ${code}. Fix the error printed above and start again.`,
  );
}

/** Makes absolute paths to assets inside the assembly relative, so that they stay valid after the rename. */
function makeRelative(directory: string): void {
  for (const name of readdirSync(directory).filter((file) => file.endsWith(".assets.json"))) {
    const file = join(directory, name);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(`"${directory}/`, '"./'));
  }
}

const usageMarkerName = (pid: number) => `.used-by-${pid}`;

function markUsed(directory: string): void {
  writeFileSync(join(directory, usageMarkerName(process.pid)), "");
  utimesSync(directory, new Date(), new Date());
}

/** Removes the least recently used assemblies, except those that a running process uses. */
function prune(cache: string): void {
  const surplus = readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9a-f]{16}$/.test(entry.name))
    .map(({ name }) => ({ path: join(cache, name), usedAt: statSync(join(cache, name)).mtimeMs }))
    .sort((a, b) => b.usedAt - a.usedAt)
    .slice(maxCachedAssemblies);
  for (const { path } of surplus) if (!isUsed(path)) rmSync(path, { recursive: true, force: true });
}

function isUsed(directory: string): boolean {
  return readdirSync(directory)
    .map((name) => /^\.used-by-(\d+)$/.exec(name)?.[1])
    .some((pid) => pid !== undefined && isAlive(Number(pid)));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
