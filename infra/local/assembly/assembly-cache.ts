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
import { dirname, join, matchesGlob, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { getEnvironment } from "../../../shared/lib/env.ts";
import { codeOf, Failure, messageOf } from "../failure.ts";
import type { EnvironmentOf } from "../functions/lambda-function.ts";
import { type Fields, fields, list, text } from "../json.ts";
import { warn } from "../log.ts";
import { readAssembly } from "./assembly.ts";

/**
 * Files and directories that determine the result of the synthesis, in addition to the environment variables that `cdk.json`
 * lists.
 */
const inputPaths = ["infra", "functions", "shared", "docs", "openapi.json", "package-lock.json", "cdk.json"];

const maxCachedAssemblies = 8;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Result of `divideSettings`: some environment variables do not affect the synthesis, so that one assembly serves all of
 * their values.
 */
export interface AppSettings {
  /** Environment variables to replace during the synthesis; undefined removes one. */
  readonly synthesis: Environment;
  /** Returns the current values of a function's environment variables, given their names. */
  readonly environmentOf: EnvironmentOf;
}

/** A synthesis in progress. Both promises reject with a Failure if the app fails. */
interface Progress {
  /** Resolves when the assembly is there and functions can run. */
  readonly usable: Promise<void>;
  /** Resolves when all files of its assets exist. */
  readonly finished: Promise<void>;
}

/** Directory of a cloud assembly, and the current values of environment variables that it does not contain. */
interface CurrentAssembly extends Progress {
  readonly directory: string;
  readonly environmentOf: EnvironmentOf;
}

/**
 * Finds an up-to-date cloud assembly of the app in `cdk.json`, for the stage `local`. Starts to synthesize only when the cache has
 * no assembly for the same files and settings. The context key `local:environment` in `cdk.json` lists the relevant
 * environment variables as globs; `local:settings` names a module that exports `divideSettings(): AppSettings`. Safe to call
 * from several runners at the same time.
 * @throws Failure when a setting is invalid
 */
export async function ensureAssembly(project: string, signal: AbortSignal): Promise<CurrentAssembly> {
  const configuration = readConfiguration(project);
  const context = fields(configuration.context);
  const command = text(configuration.app);
  if (!command) throw new Failure('cdk.json has no "app" command. Add one: { "app": "node infra/app.ts" }');
  const { synthesis, environmentOf } = await readSettings(project, text(context["local:settings"]));
  const environment = { ...getEnvironment(), ...synthesis };
  const cache = join(project, "cdk.out", "local");
  const directory = join(cache, fingerprint(project, environment, list(context["local:environment"]).map(String)));
  const progress = isComplete(directory)
    ? { usable: Promise.resolve(), finished: Promise.resolve() }
    : synthesize({ project, command, context, directory, environment }, signal);
  const usable = progress.usable.then(() => {
    markUsed(directory);
    prune(cache);
  });
  const finished = Promise.all([usable, progress.finished]).then(() => {});
  // A caller can await them later than they reject.
  finished.catch(() => {});
  return { directory, environmentOf, usable, finished };
}

async function readSettings(project: string, file: string | undefined): Promise<AppSettings> {
  if (file === undefined) return { synthesis: {}, environmentOf: () => ({}) };
  const { divideSettings } = (await import(pathToFileURL(resolve(project, file)).href)) as {
    divideSettings(): AppSettings;
  };
  try {
    return divideSettings();
  } catch (error) {
    throw new Failure(messageOf(error));
  }
}

/** Removes this process's mark from the assembly, which prevents that it is pruned. */
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

function fingerprint(project: string, environment: Environment, patterns: string[]): string {
  const hash = createHash("sha256");
  for (const path of inputPaths) addFiles(hash.update(path), join(project, path));
  const variables = Object.entries(environment)
    .filter(([name, value]) => value !== undefined && patterns.some((pattern) => matchesGlob(name, pattern)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return hash.update(JSON.stringify(variables)).digest("hex").slice(0, 16);
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

/**
 * Checks that the assembly and all of its assets exist, which can live outside of the assembly and be deleted.
 * @param isPresent condition for the path of an asset; by default, that a directory is not empty
 */
function isComplete(directory: string, isPresent: (path: string) => boolean = hasContent): boolean {
  return (
    existsSync(join(directory, "manifest.json")) &&
    [...new Set(readAssembly(directory).assets.values())].every(isPresent)
  );
}

function hasContent(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? readdirSync(path).length > 0 : stats !== undefined;
}

interface Synthesis {
  readonly project: string;
  readonly command: string;
  readonly context: Fields;
  readonly directory: string;
  readonly environment: Environment;
}

/** Synthesizes into a temporary directory and renames it, so that other runners never see a partial assembly. */
function synthesize({ project, command, context, directory, environment }: Synthesis, signal: AbortSignal): Progress {
  const draft = `${directory}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const { usable, finished } = runApp(project, command, signal, {
    ...environment,
    CDK_OUTDIR: draft,
    CDK_CONTEXT_JSON: JSON.stringify({
      ...context,
      stage: "local",
      "aws:cdk:disable-asset-staging": true,
      "aws:cdk:disable-creation-stack-traces": true,
      "aws:cdk:disable-logicalId-metadata": true,
      "aws:cdk:enable-asset-metadata": false,
      "aws:cdk:enable-path-metadata": false,
      "aws:cdk:version-reporting": false,
    }),
  });
  return { usable: usable.then(() => publish(draft, directory)).finally(() => remove(draft)), finished };
}

/** Renames a draft, unless another runner has the same assembly, which it can be reading while its app still writes files. */
function publish(draft: string, directory: string): void {
  makeRelative(draft);
  if (!isComplete(directory, existsSync)) remove(directory);
  try {
    renameSync(draft, directory);
  } catch (error) {
    // Another runner synthesized the same assembly concurrently.
    if (codeOf(error) !== "ENOTEMPTY" && codeOf(error) !== "EEXIST") throw error;
  }
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true });

/**
 * Runs the app until it has written the assembly: until its message `usable`, if it sends one, or its end. It can write files of
 * assets after the message.
 */
function runApp(project: string, command: string, signal: AbortSignal, environment: Environment): Progress {
  const child = spawn(command, {
    cwd: project,
    shell: true,
    signal,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      // A quarter less work for esbuild, which then collects garbage only if it uses more than this memory.
      GOGC: "off",
      GOMEMLIMIT: "1GiB",
      ...environment,
      // Run the app with the Node version that runs this process, regardless of PATH.
      PATH: `${dirname(process.execPath)}:${environment.PATH ?? ""}`,
      // Template validation takes longer than the rest of the synthesis and matters only for CloudFormation.
      CDK_VALIDATION: "false",
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data: Buffer) => {
      output += data;
    });
  }
  const finished = new Promise<void>((resolve, reject) => {
    child.once("error", reject).once("close", (code) => {
      if (code === 0) return resolve();
      warn("synthesis", output.trim());
      const reason = `\`${command}\` exited with code ${code}. Fix the error printed above and start again.`;
      reject(new Failure(`Synthesis failed: ${reason}`));
    });
  });
  const message = new Promise<void>((resolve) => child.once("message", () => resolve()));
  return { usable: Promise.race([message, finished]), finished };
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
